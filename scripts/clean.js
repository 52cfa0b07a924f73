// Before a build: what was made of an earlier source is no part of the package.
import { rmSync } from 'node:fs'

for (const made of ['dist', 'man'])
  rmSync(new URL(`../${made}`, import.meta.url), { recursive: true, force: true })
