import { pathSegments } from '../../mapping/member-path.ts'
import { holdsBigInteger } from '../../record/mend.ts'
import { number } from '../../text/words.ts'
import { kindOf } from '../profile/kind.ts'
import { lastName, typedBy } from '../profile/member.ts'
import { says as saysOfNumbers } from '../profile/number-guess.ts'
import { groupTypeName } from '../profile/roles.ts'
import { kindWords } from './column-lines.ts'
import { type Facts, isRole } from './draft-facts.ts'
import { isSecretMember, secretLines } from './secrets.ts'
import { asked, example, inComment, percentText, yamlKeyText } from './yaml-text.ts'

const WIDTH = 34
const PAGE_VIEW = /^page[ _-]?view(?:ed)?$|^viewed page$/i

/** Keys of groups. */
export function groupLines(facts: Facts): string[] {
  return facts.roles.groups.flatMap(({ profile: { member, distinct }, rivals = [] }) => {
    const type = groupTypeName(member.name)
    const others = rivals.map(
      ({ member: { name, texts } }) => `; or is it ${inComment(name)}, as ${example(name, texts[0])}?`,
    )
    const line = `${`  ${type}: ${yamlKeyText(member.name)}`.padEnd(WIDTH)}  # ${number(distinct)} of them, as ${example(member.name, member.texts[0])}`
    const text = `${number(distinct)} values in ${number(member.texts.length)} records, so it is taken for a group's key; a project has five group types for good: delete the line if this is none${others.join('')}`
    return [line, ...asked(text)]
  })
}

/** What the file says of properties: which PostHog has a name for, and which no event may carry. */
export function propertyLines(facts: Facts): string[] {
  return [...renameLines(facts), ...secretLines(facts)]
}

function renameLines({ roles, list }: Facts): string[] {
  const lines = (
    [
      [roles.page, '$current_url'],
      [roles.referrer, '$referrer'],
      [roles.userAgent, '$raw_user_agent'],
    ] as const
  ).flatMap(([cast, to]) => {
    const member = cast?.profile.member
    // Of nested members the outermost is the property.
    const names = member?.isPath ? pathSegments(member.name) : []
    const [name, ...below] = list !== undefined && names[0] === list ? names.slice(1) : names
    if (!cast || name === undefined || below.length > 0 || name === to) return []
    return [
      `${`    ${yamlKeyText(name)}: ${to}`.padEnd(WIDTH)}  # ${kindWords(cast.profile.kind)}, as PostHog calls it`,
    ]
  })
  return lines.length === 0 ? [] : ['  rename:', ...lines]
}

/** The event that PostHog's web analytics would count, if it were called so. */
export function pageViewLines(facts: Facts): string[] {
  const name = facts.roles.event?.profile.member.texts.find((text) => PAGE_VIEW.test(text))
  if (name === undefined) return []
  return [
    '# events:',
    `#   rename: { ${yamlKeyText(name)}: $pageview }${' '.repeat(4)}# PostHog's name of it, which its web analytics counts`,
  ]
}

/** Numbers that the service would round. */
export function bigIntegerLines(facts: Facts): string[] {
  if (facts.isText) return []
  const found = facts.profiles.flatMap(({ member }) => {
    // Shorter values are no such numbers.
    const count = member.values.filter((json) => {
      return json.length > 15 && /^[-\d]/.test(json) && holdsBigInteger(Buffer.from(json), 0, json.length)
    }).length
    return count > 0 ? [{ name: member.name, count, of: member.values.length }] : []
  })
  const [first] = found
  if (!first) return []
  const text = `${number(first.count)} of ${number(first.of)} values of ${inComment(first.name)} are numbers over 2^53 or 17 digits, which PostHog rounds: as text they stay whole`
  return ['big_integers: string', ...asked(text)]
}

/** Text in records whose values are all of one type: warehouses write decimals, variants and JSON so. */
export function typeLines(facts: Facts): string[] {
  if (facts.isText || facts.arePeople) return []
  const lines = facts.profiles.flatMap((profile) => {
    const { member } = profile
    const { name, values, texts, isPath } = member
    const isOther = !isPath || isRole(name, facts) || isLeft(name, facts) || typedBy(name) !== undefined
    const isWhole = texts.length === values.length && values.every((json) => json.startsWith('"'))
    if (isOther || !isWhole || isSecretMember(profile)) return []
    const kind = kindOf(member, true, 0)
    const says = TYPED.get(kind.kind) ?? (kind.kind === 'money' ? saysOfNumbers(kind.form) : undefined)
    if (says === undefined || kind.odd.count > 0) return []
    return [`${`  ${yamlKeyText(name)}: ${says}`.padEnd(WIDTH)}  # ${example(lastName(name), texts[0])}`]
  })
  if (lines.length === 0) return []
  const text = `text in all records, of one type each, as warehouses write it. Does your app send such values as text? Then delete ${lines.length === 1 ? 'the line' : 'the lines'}: one property should have one type`
  return [...lines, ...asked(text)]
}

const TYPED: ReadonlyMap<string, string> = new Map([
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['JSON text', 'json'],
])

function isLeft(name: string, { list, kept }: Facts): boolean {
  const [top = ''] = pathSegments(name)
  return list !== undefined && top !== list && !kept.includes(top)
}

/** Members of records that are no rows of text: their types stay as they are. */
export function memberLines(facts: Facts): string[] {
  const { profiles, records, isTable } = facts
  const lines = profiles.map(({ member, kind }) => {
    const filled = percentText(member.values.length, records).padStart(4)
    return `# ${inComment(member.name).padEnd(WIDTH - 2)}  ${filled}  ${example(lastName(member.name), member.texts[0])}  ${kindWords(kind)}${isLeft(member.name, facts) ? ', left out' : ''}`
  })
  const head = `# ${isTable ? 'columns' : 'members'}, filled, an example, what each was taken for; all become properties as they are`
  return [head, ...lines]
}
