import { KEPT } from '../../mapping/fates.ts'
import { pathSegments, quotedSegment } from '../../mapping/member-path.ts'
import type { Fates } from '../../record/inventory.ts'
import { parsedOrNone } from '../../text/json.ts'
import { lastName } from '../profile/member.ts'
import type { Profile } from '../profile/profiles-of.ts'
import { type Facts, isRole } from './draft-facts.ts'
import { asked, inComment, yamlKeyText } from './yaml-text.ts'

/** How keys and tokens of services begin: PostHog, Stripe, GitHub, GitLab, AWS, Slack, Google, SendGrid, npm, Shopify, OpenAI, JWTs. */
const KEY_FORM =
  /^(?:ph[cxs]_\w{8}|[spr]k_(?:live|test)_|sk-[\w-]{16}|whsec_|gh[opsur]_\w{16}|github_pat_|glpat-|(?:AKIA|ASIA)[A-Z\d]{12}|xox[abeprs]-|AIza[\w-]{20}|ya29\.|SG\.[\w-]{16}|npm_\w{20}|shp(?:at|ca|pa|ss)_|hf_\w{20}|dop_v1_|eyJ[\w-]{8,}\.[\w-]{8,}\.|Bearer \S{8}|-----BEGIN [A-Z ]*PRIVATE KEY)/
/** Names that are for a key, a token or a password; `token_count` and `key` aren't. */
const KEY_NAME =
  /(?:^|_)(?:(?:api|app|secret|access|private|write|read|project|client|auth|license)_?(?:key|token|secret)|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)$/i
/** Words of a few letters under such a name, such as a currency, are no secrets. */
const FEWEST_LETTERS = 8

/** True for a member that holds keys or tokens of a service, or passwords: by the form of a value, or by its name. */
export function isSecretMember({ member, kind }: Profile): boolean {
  return kind.kind === 'number' || kind.kind === 'boolean'
    ? member.texts.some((text) => KEY_FORM.test(text))
    : isSecret(lastName(member.name), member.texts)
}

function isSecret(name: string, texts: readonly string[]): boolean {
  if (texts.some((text) => KEY_FORM.test(text))) return true
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_').replaceAll(/[^A-Za-z\d]+/g, '_')
  if (!KEY_NAME.test(words)) return false
  return /passw|passphrase/i.test(words) || texts.some((text) => text.length >= FEWEST_LETTERS)
}

/** Objects of a member that are looked into. */
const MOST_OBJECTS = 200

/** The path of a secret below a member whose values are objects or lists, as it is said to people. */
function secretBelow({ member: { name, values } }: Profile): string | undefined {
  const objects = values.filter((json) => /^[[{]/.test(json)).slice(0, MOST_OBJECTS)
  for (const json of objects) {
    // Not by recursion: a record may be nested too deep.
    const open: Array<readonly [path: string, value: unknown]> = [[name, parsedOrNone(json)]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [path, value] = next
      if (typeof value !== 'object' || value === null) continue
      for (const [key, one] of Object.entries(value)) {
        const below = Array.isArray(value) ? path : `${path}.${quotedSegment(key)}`
        const said = Array.isArray(value) ? '' : key
        if (typeof one === 'string' && isSecret(said, [one.trim()])) return below
        open.push([below, one])
      }
    }
  }
  return undefined
}

/** What is asked about such a member. */
export const SECRET_QUESTION =
  "looks like a key, a token or a password: left out, since no event may carry one. If it isn't one, delete this line"

/**
 * The names of properties that would carry a secret: of an object the whole, since no rule reaches into one. `members`: what a
 * preset makes of the records, by which a property may have another name, or be none.
 */
export function secretLines(facts: Facts, members: Readonly<Record<string, Fates>> = {}): string[] {
  if (facts.isText) return []
  const names = new Map<string, string>()
  for (const profile of facts.profiles) {
    const path = isSecretMember(profile) ? profile.member.name : secretBelow(profile)
    const isUsed = facts.preset === 'events' && isRole(profile.member.name, facts)
    if (path === undefined || isUsed) continue
    const [top = '', ...below] = pathSegments(profile.member.name)
    if (facts.list !== undefined && top !== facts.list && !facts.kept.includes(top)) continue
    const inRecord = facts.list !== undefined && top === facts.list ? below : [top, ...below]
    const [own] = inRecord[0] === 'properties' && inRecord.length > 1 ? inRecord.slice(1) : inRecord
    for (const name of propertiesOf([top, ...below], members) ?? (own === undefined ? [] : [own]))
      names.set(name, path)
  }
  if (names.size === 0) return []
  return [
    `  drop: [${[...names.keys()].map(yamlKeyText).join(', ')}]`,
    ...[...names.values()].flatMap((path) => asked(`${inComment(path)} ${SECRET_QUESTION}`)),
  ]
}

/**
 * The properties that carry a member, or the object that it is in; none where it is left out. Undefined where it is not known: a
 * preset's function took it, or there is no preset.
 */
function propertiesOf(
  path: readonly string[],
  members: Readonly<Record<string, Fates>>,
): string[] | undefined {
  for (let length = path.length; length > 0; length--) {
    const fates = Object.keys(members[path.slice(0, length).map(quotedSegment).join('.')] ?? {})
    if (fates.includes('used: properties')) return undefined
    if (fates.length === 0) continue
    return fates.flatMap((fate) => {
      if (fate === KEPT) return [path[length - 1]!]
      return /^(?:renamed: |person: \$set(?:_once)?\.)(.*)$/s.exec(fate)?.[1] ?? []
    })
  }
  return undefined
}
