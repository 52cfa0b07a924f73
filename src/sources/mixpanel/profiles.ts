import { z } from 'zod'
import { retrying } from '../../http/retry.ts'
import { elements, members } from '../../record/json-values.ts'
import { MIB } from '../../text/units.ts'
import { type Asking, askJson } from '../answer-bytes.ts'
import type { VendorCall } from '../source.ts'
import { cutShort, type VendorClient } from '../vendor-client.ts'
import type { ProfileKind } from './vendor.ts'

// A page has a thousand profiles, far fewer bytes than this.
const PAGE_BYTES = 256 * MIB
// Each try costs one of the 60 queries of an hour.
const SHORT_TRIES = 3

const headSchema = z.object({
  page: z.int(),
  page_size: z.int().positive(),
  session_id: z.string(),
  total: z.int().min(0),
  results: z.array(z.looseObject({})),
})

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
  const more = `"$exported_at":${exportedAt}${type ? `,"$group_type":${type}` : ''}`
  const wanted = kind.group ? { data_group_id: kind.group.dataGroupId } : {}
  const ask: AskProfiles = (form) => retrying(() => askPage(client, path, form, call), call.retry)
  for await (const profiles of profilePages(client.vendor, wanted, ask))
    yield Buffer.from(profiles.map((profile) => `${withMembers(profile, more)}\n`).join(''))
}

type AskProfiles = (form: URLSearchParams) => ReturnType<typeof askPage>

/** The profiles that were asked for, a page at a time, each as its text. Throws at the end if some were not sent. */
async function* profilePages(
  vendor: string,
  wanted: Readonly<Record<string, string>>,
  ask: AskProfiles,
): AsyncGenerator<readonly string[]> {
  let session: { readonly id: string; readonly total: number } | undefined
  let seen = 0
  for (let page = 0; ; page++) {
    const form = new URLSearchParams({ ...wanted, page: String(page) })
    if (session) form.set('session_id', session.id)
    const { head, profiles } = await wholePage(() => ask(form), seen)
    session ??= { id: head.session_id, total: head.total }
    seen += profiles.length
    yield profiles
    if (profiles.length < head.page_size) break
  }
  if (seen < session.total)
    throw cutShort(`${vendor} said it has ${session.total} profiles, and sent ${seen}`)
}

/** A page that lacks profiles is asked for again: what came of the pages before it need not be asked for once more. */
async function wholePage(ask: () => ReturnType<typeof askPage>, seen: number): ReturnType<typeof askPage> {
  for (let tries = 1; ; tries++) {
    const page = await ask()
    const { page_size, total } = page.head
    if (page.profiles.length >= Math.min(page_size, total - seen) || tries === SHORT_TRIES) return page
  }
}

async function askPage(
  client: VendorClient,
  path: string,
  form: URLSearchParams,
  { signal, expected }: Pick<Asking, 'signal' | 'expected'>,
) {
  const { head, results } = await askJson(
    client,
    {
      ...{ method: 'POST', path, body: form.toString(), most: PAGE_BYTES, expected },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      // The profiles are cut out of the text: parsed numbers lose digits.
      read: (text) => ({
        head: headSchema.parse(JSON.parse(text)),
        results: members(text).filter(([name]) => name === 'results'),
      }),
      tooLong: () => cutShort('a page of profiles of more than 256 MB'),
      otherwise: `${client.vendor} answered 200, but with no profiles`,
    },
    signal,
  )
  // A page that was not asked for would bring profiles twice, and lack others.
  if (results.length !== 1 || String(head.page) !== form.get('page'))
    throw cutShort(`${client.vendor} answered 200, but with another page of profiles`)
  return { head, profiles: elements(results[0]![1]) }
}

/** The object with more members. Line breaks between tokens become blanks. */
function withMembers(object: string, more: string): string {
  const flat = object.replaceAll(/[\r\n]+/g, ' ')
  const inner = flat.slice(1, -1).trim()
  return inner === '' ? `{${more}}` : `{${inner},${more}}`
}
