import { createRequire } from 'node:module'

/** The version in package.json: what manifests, `$lib_version` and the user agent carry. */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version
