# posthaul as an image. Keys come from files or the environment; what a run keeps is in /data, or in a bucket:
#
#   docker build -t posthaul .
#   docker run --rm --read-only --tmpfs /tmp -v posthaul:/data --env-file posthaul.env posthaul status --state /data
#
# It needs no init process: posthaul answers signals as process 1 too, and leaves no children behind.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No dependency needs a script, and the one that builds posthaul has no sources yet.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# The image holds what the package holds, with the very versions of the lock file.
RUN npm pack --ignore-scripts && tar -xzf posthaul-*.tgz
RUN npm ci --omit=dev --ignore-scripts
RUN mkdir links && ln -s /app/bin/posthaul.js links/posthaul && ln -s /app/bin/posthaul.js links/tool
RUN mkdir -m 0700 data

# All libraries that node asks for, and no npm, compiler or package manager of JavaScript.
FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="posthaul" \
      org.opencontainers.image.description="Carries product-analytics history into PostHog" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/posthaul/posthaul"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /build/links /usr/local/bin
COPY --from=build /build/package /app
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build --chown=10001:10001 /build/data /data
# The user has a number and no name: Kubernetes can see that it is not root. It has no home either.
ENV XDG_STATE_HOME=/data/.state
WORKDIR /data
USER 10001:10001
STOPSIGNAL SIGTERM
ENTRYPOINT ["posthaul"]
CMD ["--help"]
