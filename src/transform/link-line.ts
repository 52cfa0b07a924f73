import type { KnownLink } from './links.ts'

/** A link as a line of links.ndjson, with its line end. Apart from what reads links: each worker would load that too. */
export function linkLine(link: KnownLink): string {
  return `${JSON.stringify(link)}\n`
}
