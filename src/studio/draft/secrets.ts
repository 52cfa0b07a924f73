import { pathSegments } from '../../mapping/index.ts'
import { lastName } from '../profile/member.ts'
import type { Profile } from '../profile/profiles-of.ts'
import type { Facts } from './draft-facts.ts'
import { inComment, yamlKeyText } from './yaml-text.ts'

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
  if (member.texts.some((text) => KEY_FORM.test(text))) return true
  const name = lastName(member.name)
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
  if (!KEY_NAME.test(name) || kind.kind === 'number' || kind.kind === 'boolean') return false
  return /passw|passphrase/i.test(name) || member.texts.some((text) => text.length >= FEWEST_LETTERS)
}

/** What is asked about such a member. */
export const SECRET_QUESTION =
  'looks like a key, a token or a password: left out, since no event may carry one. If it is none, delete this'

/** The names of properties that would carry a secret: of an object the whole, since no rule reaches into one. */
export function secretLines(facts: Facts, ask: (about: string, text: string) => string[]): string[] {
  if (facts.isText) return []
  const names = new Map<string, string>()
  for (const profile of facts.profiles) {
    if (!isSecretMember(profile) || isUsed(profile, facts)) continue
    const [top = '', ...below] = pathSegments(profile.member.name)
    if (facts.list !== undefined && top !== facts.list && !facts.kept.includes(top)) continue
    const inRecord = facts.list !== undefined && top === facts.list ? below : [top, ...below]
    const [name] = inRecord[0] === 'properties' && inRecord.length > 1 ? inRecord.slice(1) : inRecord
    if (name !== undefined) names.set(name, profile.member.name)
  }
  if (names.size === 0) return []
  const asked = [...names.values()].flatMap((path) => ask(path, `${inComment(path)} ${SECRET_QUESTION}`))
  return [
    `  drop: [${[...names.keys()].map(yamlKeyText).join(', ')}]`,
    ...asked.map((line) => `  ${line.trimStart()}`),
  ]
}

function isUsed({ member }: Profile, { roles, preset }: Facts): boolean {
  if (preset !== 'events') return false
  return Object.values(roles)
    .flat()
    .some((cast) => cast?.profile.member.name === member.name)
}
