"""What must be left of a table that two-row commits went into while its writers were killed."""


def check_pairs(rows, done, most_unheard):
    """rows: (r, n, p, v), of which each commit (r, n) wrote p = 'a' and 'b' with v = 0, and raised both v to 1 where
    n % 3 == 2; done: the commits that were made known; most_unheard: how many others there may be."""
    assert len(rows) == len(set(rows))
    pairs = {}
    for r, n, p, v in rows:
        pairs.setdefault((r, n), []).append((p, v))
    for key, found in pairs.items():
        # Both rows of a commit, both as before their change or as after it.
        assert sorted(p for p, _ in found) == ["a", "b"] and len({v for _, v in found}) == 1, key
        if key in done:
            assert found[0][1] == (1 if key[1] % 3 == 2 else 0)
    assert done <= set(pairs)
    # Beside what was made known, of each process at most the commit that nobody heard of any more.
    assert len(set(pairs) - done) <= most_unheard
