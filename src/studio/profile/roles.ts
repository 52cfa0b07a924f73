import { pathSegments } from '../../mapping/member-path.ts'
import { isNobody } from '../../record/nobody.ts'
import { textIn } from '../../record/text.ts'
import { groupedBy } from '../../text/lists.ts'
import { type Anonymous, anonymousOf } from './anonymous.ts'
import {
  CLOSE,
  emptiness,
  type Fitness,
  finerNames,
  fittingTimes,
  isCount,
  isNumbered,
  isOneToOne,
  isPlainly,
  repeatsOf,
  wordsIn,
} from './fitness.ts'
import { lastName, plain, typedBy, withoutUnit } from './member.ts'
import type { Profile } from './profiles-of.ts'

/** What a member is to an event. */
type Role =
  | 'event'
  | 'distinct_id'
  | 'timestamp'
  | 'uuid'
  | 'anonymous_id'
  | 'group'
  | 'page'
  | 'referrer'
  | 'userAgent'

export interface Cast {
  readonly profile: Profile
  /** False when the name may mean something else, or only the values speak for it. */
  readonly isSure: boolean
  /** Others that are as good, the best first. */
  readonly rivals?: readonly Profile[]
  /** Where the value is in records that have none here. */
  readonly fallback?: Profile | undefined
}

type Field = 'event' | 'distinct_id' | 'timestamp' | 'uuid'

type Named = ReadonlyArray<readonly [score: number, name: RegExp]>

/** How much a name speaks for a field: names that mean it, and those that may mean something else. Case and underscores don't count. */
const NAMES: Readonly<Record<Exclude<Field, 'uuid'>, readonly [sure: Named, loose: Named]>> = {
  event: [
    [
      [4, /^event(name)?$/],
      [3.5, /^eventtype$/],
      [3, /event$|event(name|type|kind|action)/],
    ],
    [
      [2, /^(action|activity|what|whathappened|ereignis|aktion|vorgang|evento|accion|evenement)$/],
      [1.5, /(action|activity)(name|type|kind)?$/],
      [1, /^(name|type|kind|verb|operation|title|message|msg)$/],
    ],
  ],
  distinct_id: [
    [
      [4, /^(distinctid|userid|useruuid|uid)$/],
      [3.5, /(user|customer|person|member|profile|contact)(id|uuid|key)$/],
      [2.5, /visitor(id|uuid|key)$/],
      [2, /^(account|anonymous|device|client)id$/],
      [2.5, /^(user|customer|person|member|email|useremail)$/],
    ],
    [
      [1.5, /^(who|username|login|actor|visitor|profile|contact|subscriber|customeremail|emailaddress)$/],
      [1.5, /^(kunde|kundennr|kundennummer|kundenid|nutzer|benutzer|usuario|cliente|utilisateur|client)$/],
      [1.2, /email/],
      [0.8, /^(account|client|device|session)(name|key)?$/],
      [0.6, /^(user|customer|person|member|visitor|actor|account|kunden)/],
    ],
  ],
  timestamp: [
    [
      [4, /^(timestamp|time|eventtime|eventtimestamp|ts|occurredat|happenedat)$/],
      [3, /^(createdat|datetime)$/],
      [2, /(at|time|date|timestamp)$/],
    ],
    [
      [1.5, /^(when|day|date|hour|datum|zeit|zeitpunkt|zeitstempel|fecha|hora|horodatage)$/],
      [2, /^(created|occurred|happened|received|sent|logged)(on)?$/],
      [1, /(day|date|datum|zeit)/],
    ],
  ],
}
/** Rows with one uuid become one event: only names that can't mean anything else. */
const UUID_NAMES = [/^(uuid|eventuuid)$/, /^(eventid|insertid|messageid|rowid)$/]

const GROUP =
  /^(company|organization|organisation|org|workspace|tenant|team|account)(id|key|uuid|name|slug)?$/
const PAGE = /^(url|pageurl|currenturl|page|pagelocation|href|location|link)$/
const REFERRER = /^(referrer|referer|pagereferrer|referrerurl)$/

type Single = Exclude<Role, 'group' | 'anonymous_id'>

export type Roles = Partial<Record<Single, Cast>> & {
  readonly anonymous_id?: Anonymous
  readonly groups: readonly Cast[]
}

/** What a member below others is less likely than one at the top. */
const DEEPER = 0.5

/** Ids that a user of a vendor gave, beside those that the vendor made. */
const OWN_ID = /^(?:external|ext|customer|client|crm|own|merchant|company)$/
const VENDORS_ID = /^(?:user|contact|profile|person|member|subscriber|internal)$/
/** Ids that stand for nobody who is known. */
const ANONYMOUS_VALUE = /^(?:\$device:|anon|guest)/i
const NOT_PERSON = /(?:anonymous|anon|visitor|cookie|device|session|browser|install)/

/** Names of ids of an event, and of what a row is: an order, a payment, a delivery of a webhook. */
const ROW_ID =
  /^(?:id|guid)$|^(?:event|order|transaction|txn|charge|payment|invoice|record|row|log|hit|request|delivery|message|booking|purchase|receipt)(?:s)?(?:id|uuid|key|no|nr|num|number|ref|reference)$/
/** Ids with a prefix that says what they are of, and long ones: of uuids, ULIDs, MongoDB and others. */
const ID_VALUE = /^[a-z]{2,8}_[A-Za-z0-9_]{3,}$|^(?:ObjectId\()?[\w-]{16,}\)?$|^#?[A-Z]{0,4}[-_]?\d+$/i
const FEW = 3
/** Of ids that are named so, this share of the records may repeat one: edited cells. */
const MOST_REPEATED = 0.1

/**
 * Which member is most likely what: by its name, by how many records have it, and a time also by its values. No values tell a
 * name of an event from a plan, or a person from a country, so those stay open where no name tells.
 */
export function castRoles(profiles: readonly Profile[], texts: readonly string[], list?: string): Roles {
  const records = texts.length
  const found: Partial<Record<Single, Cast>> = {}
  const taken = new Set<Profile>()
  const cast = (role: Single, one: Cast | undefined) => {
    if (!one) return
    found[role] = one
    taken.add(one.profile)
  }
  const free = profiles.filter(({ member }) => member.texts.length > 0)
  const rest = () => free.filter((one) => !taken.has(one))
  cast('event', eventOf(free, records))
  cast('distinct_id', personOf(rest(), records))
  const times = free.filter(({ kind }) => kind.kind === 'time')
  const nameOf = (one: Profile) => nameScore('timestamp', one).score || 0.5
  if (found.distinct_id)
    found.distinct_id = { ...found.distinct_id, profile: ofKnown(found.distinct_id.profile) }
  const person = found.distinct_id?.profile
  cast('timestamp', bestOf(fittingTimes(times, { person, records, nameOf }), 'timestamp'))
  cast('uuid', idOf(rest(), texts, list))
  const named = (pattern: RegExp, ...kinds: string[]) =>
    profiles.filter(
      (one) => !taken.has(one) && isCalled(one.member.name, pattern) && kinds.includes(one.kind.kind),
    )
  const sure = (profile: Profile | undefined) => profile && { profile, isSure: true }
  cast('page', sure(named(PAGE, 'URL')[0]))
  cast('referrer', sure(named(REFERRER, 'URL', 'text')[0]))
  cast('userAgent', sure(profiles.find((one) => !taken.has(one) && one.kind.kind === 'user agent')))
  const groups = named(GROUP, 'text', 'UUID', 'number').filter(({ distinct, member }) => {
    // Several rows share a group; without that it is as likely a detail of the person.
    return member.isPath && distinct < member.texts.length
  })
  const isFallback = (one: Profile) => one === found.distinct_id?.fallback || one === found.event?.fallback
  const open = profiles.filter(
    (one) => !taken.has(one) && !isFallback(one) && !groups.includes(one) && one.member.isPath,
  )
  const anonymous = person && anonymousOf(open, person)
  return {
    ...found,
    ...(anonymous && { anonymous_id: anonymous }),
    groups: groupsOf(groups).slice(0, 5),
  }
}

/** The key of each type of group: an id before a name, and of two the one that more records have. */
function groupsOf(profiles: readonly Profile[]): Cast[] {
  const score = ({ member: { name, values } }: Profile) =>
    (/(?:id|key|uuid)$/i.test(name) ? 1e9 : 0) + values.length
  const types = groupedBy(profiles, ({ member }) => groupTypeName(member.name))
  return [...types.values()].map((ones) => {
    const [profile, ...rivals] = ones.sort((a, b) => score(b) - score(a))
    return { profile: profile!, isSure: false, rivals }
  })
}

/** True for a path of which all names together, or the last one, fit a pattern. */
function isCalled(name: string, pattern: RegExp): boolean {
  return [name, lastName(name), pathSegments(name).slice(-2).join('')].some((text) =>
    pattern.test(plain(text)),
  )
}

/** How much a name speaks for a field, and whether it can mean nothing else; 0 where it says nothing. */
function nameScore(field: keyof typeof NAMES, { member }: Profile): { score: number; isSure: boolean } {
  const name = field === 'timestamp' ? withoutUnit(member.name) : member.name
  const deep = member.isPath ? DEEPER * (pathSegments(member.name).length - 1) : 0
  for (const [tier, names] of NAMES[field].entries()) {
    const [score] = names.find(([, pattern]) => isCalled(name, pattern)) ?? []
    if (score !== undefined) return { score: Math.max(0.1, score - deep), isSure: tier === 0 }
  }
  return { score: 0, isSure: false }
}

/** The best of some members, and those that are close to it. */
function bestOf(fits: readonly Fitness[], field: keyof typeof NAMES): Cast | undefined {
  const [best, ...others] = [...fits].sort((a, b) => b.score - a.score)
  if (!best) return undefined
  const rivals = others.filter(({ score }) => score > best.score - CLOSE).map(({ profile }) => profile)
  return { profile: best.profile, isSure: nameScore(field, best.profile).isSure, rivals }
}

/** Words that name what happened. A name that fewer than half of the records have gives way to any that most have. */
function eventOf(free: readonly Profile[], records: number): Cast | undefined {
  const words = free.filter(
    (one) => one.kind.kind === 'text' && one.member.texts.every(isWord) && !isNumbered(one),
  )
  const scored = words.map((profile) => ({ profile, named: nameScore('event', profile).score }))
  const fits = scored
    .filter(({ named }) => named > 0)
    .map(({ profile, named }) => {
      // One name in all records says less than several under a name as good.
      const isOne =
        profile.distinct === 1 && scored.some((one) => one.named >= named && one.profile.distinct > 1)
      return { profile, score: named - emptiness(profile, records) - (isOne ? CLOSE / 2 : 0) }
    })
  const found = bestOf(fits, 'event')
  if (!found) return undefined
  const isNamed = (one: Profile) =>
    nameScore('event', one).score > 0 || /event|action|activity/i.test(one.member.name)
  const finer = finerNames(found.profile, words.filter(isNamed), records)
  if (finer) return { profile: finer, isSure: found.isSure, fallback: found.profile }
  const coarser = words.find((one) => isNamed(one) && finerNames(one, [found.profile], records) !== undefined)
  if (coarser) return { ...found, rivals: [], fallback: coarser }
  if (found.profile.member.texts.length < records / 2) {
    const fuller = words
      .filter((one) => one.member.texts.length > records / 2 && one.distinct < one.member.texts.length / 2)
      .sort((a, b) => b.member.texts.length - a.member.texts.length || b.distinct - a.distinct)
    const [best, ...rivals] = fuller
    if (best) return { profile: best, isSure: false, rivals: [...rivals.slice(0, 2), found.profile] }
  }
  return found
}

/** A person's id. A vendor's own id gives way to the customer's, and stands in for it where that is missing. */
function personOf(free: readonly Profile[], records: number): Cast | undefined {
  const ids = free.filter(({ kind }) => ['text', 'number', 'email', 'UUID'].includes(kind.kind))
  const fits = ids.flatMap((profile) => {
    const { score } = nameScore('distinct_id', profile)
    if (score === 0 || isCount(profile)) return []
    const isNobody =
      isPlainly(profile.member.name, NOT_PERSON) ||
      profile.member.texts.some((text) => ANONYMOUS_VALUE.test(text))
    return [{ profile, score: score - emptiness(profile, records) / 2 - (isNobody ? CLOSE : 0) }]
  })
  const found = bestOf(fits, 'distinct_id')
  if (!found) return undefined
  const { profile } = found
  const isAnyone = (one: Profile) => !isPlainly(one.member.name, NOT_PERSON)
  const has = (one: Profile, pattern: RegExp) => wordsIn(one.member.name).some((word) => pattern.test(word))
  const others = fits.map((one) => one.profile).filter((one) => one !== profile && isAnyone(one))
  const isVendors = has(profile, VENDORS_ID) && !has(profile, OWN_ID)
  const own = others.find((one) => isVendors && has(one, OWN_ID) && isOneToOne(one, profile))
  if (own) {
    const fallback = own.member.texts.length < records ? profile : undefined
    return { profile: own, isSure: false, fallback, rivals: fallback ? [] : [profile] }
  }
  const isExact = isPlainly(profile.member.name, /^(?:distinctid|userid|useruuid|uid)$/)
  const rivals = others.filter((one) => {
    if (isExact && (one.kind.kind === 'email' || !nameScore('distinct_id', one).isSure)) return false
    return isAnyone(profile) && isOneToOne(one, profile)
  })
  // In a table of people the id of the row is that of the person in other tables.
  const isRows = (one: Profile) =>
    isPlainly(one.member.name, /^id$/) && one.member.texts.length === records && isOneToOne(one, profile)
  // Where people come again, what changes with the address alone is an id of theirs.
  const comesAgain = profile.distinct < profile.member.values.length
  const isBeside = (one: Profile) =>
    comesAgain &&
    one.kind.kind !== 'email' &&
    isAnyone(one) &&
    one.member.texts.every((text) => /^(?=.*\d)[\w.:-]+$/.test(text)) &&
    one.member.texts.length >= profile.member.texts.length &&
    isOneToOne(one, profile)
  if (profile.kind.kind === 'email')
    rivals.push(...ids.filter((one) => !rivals.includes(one) && (isRows(one) || isBeside(one))))
  return { ...found, rivals }
}

/** Ids without those that stand for nobody, which a transform passes over for the next place; all where no other is there. */
function ofKnown(profile: Profile): Profile {
  const { member } = profile
  const isKnown = member.values.map((json) => !isNobody(textIn(json)))
  if (isKnown.every(Boolean) || !isKnown.some(Boolean)) return profile
  const values = member.values.filter((_, i) => isKnown[i])
  const at = member.at.filter((_, i) => isKnown[i])
  const texts = member.texts.filter((text) => !isNobody(text))
  return { ...profile, member: { ...member, values, at, texts }, distinct: new Set(values).size }
}

/** An id is one if it is unique: by its name, or by values that ids have under the name of one. */
function idOf(free: readonly Profile[], texts: readonly string[], list?: string): Cast | undefined {
  const whole = free.filter(({ member }) => member.values.length === texts.length)
  const isFor = (one: Profile, share: number) => repeatsOf(one, texts) <= texts.length * share
  const named = UUID_NAMES.flatMap((pattern) =>
    whole.filter(({ member: { name } }) => isCalled(name, pattern)),
  )
  const certain = named.find((one) => isFor(one, MOST_REPEATED))
  if (certain) return { profile: certain, isSure: true }
  if (texts.length < FEW) return undefined
  const isTop = (name: string) => {
    const [first, ...more] = pathSegments(name)
    const depth = more.length - (typedBy(name) === undefined ? 0 : 1)
    return list === undefined ? depth === 0 : first === list && depth === 1
  }
  const likely = whole.filter(
    (one) =>
      one.distinct >= FEW &&
      isTop(one.member.name) &&
      ['text', 'number', 'UUID'].includes(one.kind.kind) &&
      ROW_ID.test(plain(lastName(one.member.name))) &&
      one.member.texts.every((text) => ID_VALUE.test(text)) &&
      isFor(one, 0),
  )
  const [profile] = likely.sort((a, b) => Number(b.member.name === 'id') - Number(a.member.name === 'id'))
  return profile && { profile, isSure: false }
}

/** True for text that is more than a number such as `#1000`, a boolean or JSON: a name of an event is. */
function isWord(text: string): boolean {
  return /^[^[{]/.test(text) && /\p{L}/u.test(text) && !/^(?:true|false)$/i.test(text)
}

/** The group type that a column's name stands for: `company` of `company_id`. */
export function groupTypeName(name: string): string {
  const ends = [lastName(name), pathSegments(name).slice(-2).join('')]
  const [type = 'company'] = ends.flatMap((text) => GROUP.exec(plain(text))?.[1] ?? [])
  return type === 'org' || type === 'organisation' ? 'organization' : type
}
