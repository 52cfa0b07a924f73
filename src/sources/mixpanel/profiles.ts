import { z } from 'zod'
import { retrying } from '../../http/retry.ts'
import { elements, members } from '../../record/cut.ts'
import { MIB } from '../../text/units.ts'
import type { VendorCall } from '../source.ts'
import type { VendorClient } from '../vendor-client.ts'
import { cutShort } from '../vendor-error.ts'

// A page has a thousand profiles, far fewer bytes than this.
const PAGE_BYTES = 256 * MIB

/** The profiles of users, or of the groups of one type. */
export interface ProfileKind {
  /** The name of the part: `profiles`, `group-profiles-company`. */
  readonly name: string
  readonly group?: { readonly type: string; readonly dataGroupId: string }
}

const headSchema = z.object({
  page: z.number(),
  page_size: z.number().positive(),
  session_id: z.string(),
  total: z.number(),
})

/** The path of the profiles endpoint. */
export function engagePath(projectId: string | undefined): string {
  return projectId === undefined
    ? '/api/query/engage'
    : `/api/query/engage?${new URLSearchParams({ project_id: projectId })}`
}

/** All profiles of a kind, one on each line, as Mixpanel has it, with the time of the request. */
export async function* engagePages(
  client: VendorClient,
  path: string,
  kind: ProfileKind,
  call: VendorCall,
): AsyncGenerator<Buffer> {
  const exportedAt = JSON.stringify(new Date().toISOString())
  const type = kind.group && JSON.stringify(kind.group.type)
  let session: { readonly id: string; readonly total: number } | undefined
  let seen = 0
  for (let page = 0; ; page++) {
    const form = new URLSearchParams({ page: String(page) })
    if (session) form.set('session_id', session.id)
    if (kind.group) form.set('data_group_id', kind.group.dataGroupId)
    const { head, profiles } = await retrying(() => askPage(client, path, form, call), call.retry)
    session ??= { id: head.session_id, total: head.total }
    seen += profiles.length
    const more = `"$exported_at":${exportedAt}${type ? `,"$group_type":${type}` : ''}`
    yield Buffer.from(profiles.map((profile) => `${withMembers(profile, more)}\n`).join(''))
    if (profiles.length < head.page_size) break
  }
  if (seen < session.total) {
    throw cutShort(`${client.vendor} said it has ${session.total} profiles, and sent ${seen}`)
  }
}

async function askPage(client: VendorClient, path: string, form: URLSearchParams, call: VendorCall) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const answer = await client.ask({ method: 'POST', path, headers, body: form.toString() }, call.signal)
  const text = await textOf(answer.body)
  let head: z.infer<typeof headSchema>
  try {
    head = headSchema.parse(JSON.parse(text))
  } catch (error) {
    throw cutShort(
      `${client.vendor} answered 200, but with no profiles: ${client.redact(text.slice(0, 200))}`,
      error,
    )
  }
  // The profiles are cut out of the text: parsed numbers lose digits.
  const results = members(text).find(([name]) => name === 'results')?.[1] ?? '[]'
  return { head, profiles: elements(results) }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > PAGE_BYTES) throw cutShort('a page of profiles of more than 256 MB')
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The object with more members. Line breaks between tokens become blanks. */
function withMembers(object: string, more: string): string {
  const flat = object.replaceAll(/[\r\n]+/g, ' ')
  const inner = flat.slice(1, -1).trim()
  return inner === '' ? `{${more}}` : `{${inner},${more}}`
}
