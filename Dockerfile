# nwtsim with its native engine, for files in /files:
#   docker build --tag nwtsim .
#   docker run --rm --volume "$PWD:/files" --user "$(id -u):$(id -g)" nwtsim run machine.yaml job.yaml
FROM python:3.13-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY requirements/tables.lock requirements/
RUN python -m venv /opt/nwtsim \
    && /opt/nwtsim/bin/python -m pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/tables.lock
COPY . .
RUN /opt/nwtsim/bin/python -m pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /wheels . \
    && ls /wheels/nwtsim-*-abi3-*.whl \
    && /opt/nwtsim/bin/python -m pip install --no-deps --no-index /wheels/*.whl

FROM python:3.13-slim-bookworm
COPY --from=build /opt/nwtsim /opt/nwtsim
ENV PATH=/opt/nwtsim/bin:$PATH MPLCONFIGDIR=/tmp/matplotlib
RUN useradd --create-home --uid 1000 nwtsim && mkdir /files && chown nwtsim /files
USER nwtsim
WORKDIR /files
ENTRYPOINT ["nwtsim"]
CMD ["--help"]
