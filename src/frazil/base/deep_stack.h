#pragma once

#include <functional>

namespace frazil {

/// Runs `work` on a thread with a stack of 512 MB (reserved, not used), for recursions as deep as a plan or an
/// expression, and waits for it. On such a thread already: just runs it.
void RunOnDeepStack(const std::function<void()>& work);

}  // namespace frazil
