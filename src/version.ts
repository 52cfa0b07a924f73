import { createRequire } from 'node:module'

/** The version in package.json. Manifests, `$lib_version` and the user agent carry it. */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version
