# An engine's own image with what this chart's pods need beyond it. Its PyTorch, its CUDA and its code stay as they are,
# and so do all other packages. docs/guides/container-image.md says how to build it.

# The engine's image, by digest; a Debian or Ubuntu.
ARG BASE_IMAGE

FROM ${BASE_IMAGE} AS uv
USER 0:0
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY requirements/uv.txt /tmp/
RUN /usr/bin/python3 -m venv /uv && /uv/bin/python -m pip install --no-cache-dir --require-hashes --requirement /tmp/uv.txt
USER 1000:1000

FROM ${BASE_IMAGE}
USER 0:0
# What MuJoCo loads to render by EGL; Mesa renders where there is no GPU.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates libegl1 libgl1 libgl1-mesa-dri \
 && rm -rf /var/lib/apt/lists/*
# Where the image has virtual environments that only a login shell activates, the one to use: pods start `python3`.
ARG VENV=
ENV PATH=${VENV:+${VENV}/bin:}${PATH} \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics
COPY runtime/overlay-requirements.txt /tmp/
RUN --mount=type=bind,from=uv,source=/uv,target=/uv \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt /uv/bin/uv pip install --python "$(command -v python3)" --break-system-packages \
      --no-cache --compile-bytecode --no-deps --require-hashes --requirement /tmp/overlay-requirements.txt \
 # The bootstrap and the engine run in this Python; a wrong VENV shows here and not in a pod.
 && python3 -c "import sys, ray, torch, simplejpeg; assert sys.version_info >= (3, 10), sys.version"
USER 1000:1000
