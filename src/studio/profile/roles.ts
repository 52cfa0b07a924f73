import { pathSegments } from '../../mapping/index.ts'
import { type Anonymous, anonymousOf } from './anonymous.ts'
import { lastName, plain, withoutUnit } from './member.ts'
import type { Profile } from './profiles-of.ts'

/** What a member is to an event. */
export type Role =
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
}

type Field = 'event' | 'distinct_id' | 'timestamp' | 'uuid'

/** Names that mean a field, the likeliest first. Case and underscores don't count. */
const NAMES: Readonly<Record<Field, readonly RegExp[]>> = {
  event: [/^event$/, /^eventname$/, /^eventtype$/, /event$/, /event(name|type|kind|action)/],
  distinct_id: [
    /^distinctid$/,
    /^(userid|useruuid|uid)$/,
    /(user|customer|person|member|profile|contact)(id|uuid|key)$/,
    /visitor(id|uuid|key)$/,
    /^(account|anonymous|device|client)id$/,
    /^(user|customer|person|member|email|useremail)$/,
  ],
  timestamp: [
    /^timestamp$/,
    /^(time|eventtime|eventtimestamp|ts|occurredat|happenedat)$/,
    /^(createdat|datetime)$/,
    /(at|time|date|timestamp)$/,
  ],
  // Rows with one uuid become one event: only names that can't mean anything else.
  uuid: [/^(uuid|eventuuid)$/, /^(eventid|insertid|messageid|rowid)$/],
}

/** Names that may mean a field, and may mean something else: the user is asked to look. */
const LOOSE_NAMES: Readonly<Record<Field, readonly RegExp[]>> = {
  event: [
    /^(action|activity|what|whathappened|ereignis|aktion|vorgang|evento|accion|evenement)$/,
    /(action|activity)(name|type|kind)?$/,
    /^(name|type|kind|verb|operation|title|message|msg)$/,
  ],
  distinct_id: [
    /^(who|username|login|actor|visitor|profile|contact|subscriber|customeremail|emailaddress)$/,
    /^(kunde|kundennr|kundennummer|kundenid|nutzer|benutzer|usuario|cliente|utilisateur|client)$/,
    /email/,
    /^(account|client|device|session)(name|key)?$/,
    /^(user|customer|person|member|visitor|actor|account|kunden)/,
  ],
  timestamp: [
    /^(when|day|date|hour|datum|zeit|zeitpunkt|zeitstempel|fecha|hora|horodatage)$/,
    /^(created|occurred|happened|received|sent|logged)(on)?$/,
    /(day|date|datum|zeit)/,
  ],
  uuid: [],
}

const GROUP =
  /^(company|organization|organisation|org|workspace|tenant|team|account)(id|key|uuid|name|slug)?$/
const PAGE = /^(url|pageurl|currenturl|page|pagelocation|href|location|link)$/
const REFERRER = /^(referrer|referer|pagereferrer|referrerurl)$/

const FIELDS = ['timestamp', 'event', 'distinct_id', 'uuid'] as const

type Single = Exclude<Role, 'group' | 'anonymous_id'>

export type Roles = Partial<Record<Single, Cast>> & {
  readonly anonymous_id?: Anonymous
  readonly groups: readonly Cast[]
}

/**
 * Which member is most likely what: by its name, and a time also by its values. No values tell a name of an event from a
 * plan, or a person from a country, so those stay open where no name tells.
 */
export function castRoles(profiles: readonly Profile[], records: number): Roles {
  const fits: Readonly<Record<Field, (profile: Profile) => boolean>> = {
    timestamp: ({ kind }) => kind.kind === 'time',
    event: ({ kind, member }) => kind.kind === 'text' && member.texts.every(isWord),
    distinct_id: ({ kind }) => ['text', 'number', 'email', 'UUID'].includes(kind.kind),
    uuid: ({ member, distinct }) => member.values.length === records && distinct === records,
  }
  const found: Partial<Record<Single, Cast>> = {}
  const taken = new Set<Profile>()
  const cast = (role: Single, profile: Profile | undefined, isSure: boolean) => {
    if (!profile) return
    found[role] = { profile, isSure }
    taken.add(profile)
  }
  const free = (field: Field) =>
    profiles.filter((one) => !taken.has(one) && one.member.texts.length > 0 && fits[field](one))
  for (const [names, isSure] of [
    [NAMES, true],
    [LOOSE_NAMES, false],
  ] as const) {
    for (const field of FIELDS) {
      if (found[field]) continue
      const fitting = free(field)
      const isNamed = ({ member: { name } }: Profile, pattern: RegExp) =>
        isCalled(field === 'timestamp' ? withoutUnit(name) : name, pattern)
      const [best] = names[field].flatMap((pattern) => fitting.filter((one) => isNamed(one, pattern)))
      cast(field, best, isSure)
    }
  }
  const [time, ...others] = found.timestamp ? [] : free('timestamp')
  if (others.length === 0) cast('timestamp', time, false)
  const named = (pattern: RegExp, ...kinds: string[]) =>
    profiles.filter(
      (one) => !taken.has(one) && isCalled(one.member.name, pattern) && kinds.includes(one.kind.kind),
    )
  cast('page', named(PAGE, 'URL')[0], true)
  cast('referrer', named(REFERRER, 'URL', 'text')[0], true)
  const agent = profiles.find((one) => !taken.has(one) && one.kind.kind === 'user agent')
  cast('userAgent', agent, true)
  const groups = named(GROUP, 'text', 'UUID', 'number').filter(({ distinct, member }) => {
    // Several rows share a group; without that it is as likely a detail of the person.
    return member.isPath && distinct < member.texts.length
  })
  const open = profiles.filter((one) => !taken.has(one) && !groups.includes(one) && one.member.isPath)
  const anonymous = found.distinct_id && anonymousOf(open, found.distinct_id.profile)
  return {
    ...found,
    ...(anonymous && { anonymous_id: anonymous }),
    groups: groups.slice(0, 5).map((profile) => ({ profile, isSure: false })),
  }
}

/** True for a path of which all names together, or the last one, fit a pattern. */
function isCalled(name: string, pattern: RegExp): boolean {
  return [name, lastName(name), pathSegments(name).slice(-2).join('')].some((text) =>
    pattern.test(plain(text)),
  )
}

/** True for text that is more than a number, a boolean or JSON: a name of an event is. */
function isWord(text: string): boolean {
  return /^[^[{]/.test(text) && !/^(?:[\d.:+-]+|true|false)$/i.test(text)
}

/** The group type that a column's name stands for: `company` of `company_id`. */
export function groupTypeName(name: string): string {
  const ends = [lastName(name), pathSegments(name).slice(-2).join('')]
  const [type = 'company'] = ends.flatMap((text) => GROUP.exec(plain(text))?.[1] ?? [])
  return type === 'org' || type === 'organisation' ? 'organization' : type
}
