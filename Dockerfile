# Two stages: the wheel is built on Debian 12 as `make wheel` builds it anywhere, then installed into a plain Python.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git make python3 python3-venv
WORKDIR /frazil
COPY . .
RUN make wheel

FROM python:3.12-slim-bookworm
COPY --from=build /frazil/dist/ /tmp/dist/
# One image for the server and for notebooks: Python functions run under the version that the client has.
RUN pip install --no-cache-dir "$(echo /tmp/dist/frazil-*.whl)[client]" jupyterlab && rm -r /tmp/dist \
    && useradd --create-home frazil && mkdir /warehouse && chown frazil /warehouse
USER frazil
WORKDIR /home/frazil
EXPOSE 15002
CMD ["frazil", "server", "--host", "0.0.0.0", "--port", "15002", "--warehouse", "/warehouse"]
