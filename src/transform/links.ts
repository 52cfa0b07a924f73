import { z } from 'zod'
import { LinesPiece } from '../store/arrival.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { LINKS, REMAKE } from '../store/name.ts'
import type { Store } from '../store/store.ts'

/*
 * links.ndjson: what a dataset's generated events say, for the transforms of later windows (`--after`), which must not say
 * it again.
 *
 *     {"version":1}
 *     {"anonymous":"a1","user":"u1","at":1709251200000000}
 *     {"type":"company","key":"acme","state":"47DEQpj8HBSa-_TImW-5JC","at":1709251200000000}
 *
 * A line for each anonymous id that became a user's, and one for each change of a group. `at` is in microseconds since the
 * epoch; `state` is a digest of the group's properties.
 */
const HEADER = '{"version":1}\n'

const at = z.number().int()
const headerSchema = z.strictObject({ version: z.literal(1) })
const linkSchema = z.union([
  z.strictObject({ anonymous: z.string(), user: z.string(), at }),
  z.strictObject({ type: z.string(), key: z.string(), state: z.string(), at }),
])

export type KnownLink = z.infer<typeof linkSchema>

export type LinksFile = EventsManifest['links']

/** Writes the file of a dataset; the manifest names what is returned. `lines` are whole lines, and as many as `count`. */
export async function writeLinks(
  store: Store,
  lines: AsyncIterable<Uint8Array>,
  count: number,
): Promise<LinksFile> {
  async function* text(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(HEADER)
    yield* lines
  }
  const { bytes, sha256 } = await store.put(LINKS, text())
  return { file: LINKS, bytes, sha256, lines: count + 1 }
}

export const LINK_LINES = new LinesPiece({
  name: 'links',
  code: 'input',
  wrong: ' is not what the manifest names',
  hint: REMAKE,
})

/** Hands out a dataset's links in their order. Code `input` for a file that is not the one that the manifest names. */
export async function readLinks(
  store: Store,
  links: LinksFile,
  each: (link: KnownLink) => void,
): Promise<void> {
  const lines = LINK_LINES.read(store, links, (value, line) => {
    if (line > 1) return linkSchema.parse(value)
    headerSchema.parse(value)
    return undefined
  })
  for await (const some of lines) for (const link of some) each(link)
}
