import { FILL_IN } from '../../mapping/mapping.ts'
import { isNobody, isNullWord } from '../../record/nobody.ts'
import { textIn } from '../../record/text.ts'
import { commonest, groupedBy, sum } from '../../text/lists.ts'
import { firstFew, number, plural } from '../../text/words.ts'
import { type Anonymous, isSession } from '../profile/anonymous.ts'
import { repeatsOf } from '../profile/fitness.ts'
import { placeOfColumn, typedBy } from '../profile/member.ts'
import type { Profile } from '../profile/profiles-of.ts'
import type { Cast } from '../profile/roles.ts'
import { monthQuestion } from '../profile/time-guess.ts'
import {
  columnLines,
  columnSection,
  excelQuestion,
  isTimeColumn,
  kindWords,
  midnightQuestion,
  spoiltIdQuestions,
} from './column-lines.ts'
import { deletedLines } from './deleted-lines.ts'
import { askedApart, type Facts, isRole, type MappingDraft, type Missing } from './draft-facts.ts'
import {
  bigIntegerLines,
  groupLines,
  memberLines,
  pageViewLines,
  propertyLines,
  typeLines,
} from './property-lines.ts'
import { asked, comment, example, inComment, percentText, yamlKeyText } from './yaml-text.ts'

const WIDTH = 34
const MOST_RIVALS = 3
/** What is to be filled in where nothing tells it. */
export const MEANINGS: Readonly<Record<Missing, string>> = {
  event: "the event's name",
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
}

/** Writes the mapping file of rows that no vendor's preset knows. */
export function eventsDraft(facts: Facts): MappingDraft {
  const draft = new EventsDraft(facts)
  return { lines: draft.write(), missing: draft.missing }
}

class EventsDraft {
  readonly missing: Missing[] = []
  readonly #facts: Facts
  readonly #places = new Map<string, string>()

  constructor(facts: Facts) {
    this.#facts = facts
  }

  write(): string[] {
    const facts = this.#facts
    const fields = [
      ...this.#sums(),
      'fields:',
      ...this.#event(),
      ...this.#person(),
      ...this.#timestamp(),
      ...this.#uuid(),
      ...this.#typed(),
    ]
    const table = facts.isText ? columnSection(columnLines(facts, this.#places), facts) : undefined
    return [
      ...fields,
      ...this.#times(),
      ...section(
        (facts.people ?? []).map((name) => `    ${yamlKeyText(name)}: $set`),
        'events:',
        '  rename:',
      ),
      ...section(groupLines(facts), 'groups:'),
      ...section(propertyLines(facts), 'properties:'),
      ...section(typeLines(facts), 'types:'),
      ...section(deletedLines(facts)),
      ...section(pageViewLines(facts)),
      ...section(bigIntegerLines(facts)),
      '',
      ...(table ?? memberLines(facts)),
    ]
  }

  /** Where a role's member is in the record. A column whose name is no path gets a place without dots. */
  #place({ profile: { member } }: Pick<Cast, 'profile'>): string | undefined {
    const { isText, people, profiles } = this.#facts
    if (member.isPath && !people) return member.name
    if (!isText || member.name === '') return undefined
    const known = this.#places.get(member.name)
    if (known !== undefined) return known
    const names = profiles.map((one) => one.member.name)
    const own = member.isPath ? member.name : placeOfColumn(member.name, names)
    // An e-mail that is the id, and when somebody came, are known of a person only as properties.
    const place = people ? `$set.${own}` : own
    this.#places.set(member.name, place)
    return place
  }

  #fill(field: Missing): string[] {
    this.missing.push(field)
    const what = this.#facts.isTable ? 'column' : 'member'
    return [noted(`  ${field}: ${FILL_IN}`, `which ${what} is ${MEANINGS[field]}?`)]
  }

  #field(field: string, place: string, cast: Cast, about: string): string[] {
    const line = noted(`  ${field}: ${place}`, about)
    const { name } = cast.profile.member
    const meaning = MEANINGS[(field === 'time' ? 'timestamp' : field) as Missing] ?? 'that'
    const isId = field === 'distinct_id' || field === 'uuid'
    const whole = isId ? spoiltIdQuestions(cast.profile.member).flatMap(asked) : []
    const rivals = (cast.rivals ?? []).slice(0, MOST_RIVALS)
    if (rivals.length > 0) return [line, ...this.#which(field, cast, rivals, meaning), ...whole]
    if (cast.isSure || cast.fallback) return [line, ...whole]
    const text = `by its name and values ${inComment(name)} is the likeliest; is it ${meaning}?`
    return [line, ...asked(text), ...whole]
  }

  /** Asks which of several members it is, with an example of each. */
  #which(field: string, cast: Cast, rivals: readonly Profile[], meaning: string): string[] {
    const all = [cast.profile, ...rivals].map(({ member }) => {
      const filled = member.values.length < this.#facts.records
      const share = filled ? ` (in ${percentText(member.values.length, this.#facts.records)})` : ''
      return `${shown(member)}${share}`
    })
    const key = field === 'time' ? 'timestamp' : field
    const others = rivals.flatMap((profile) => {
      const place = profile.member.isPath ? this.#place({ profile }) : undefined
      return place === undefined ? [] : [`${key}: ${yamlKeyText(place)}`]
    })
    const take = others.length > 0 ? ` ${others.join(' or ')} takes the other` : ''
    return asked(`${all.join('; or ')}: which is ${meaning}?${take}`)
  }

  /** The question of a field that takes a second member where the first has no value. */
  #fallback(field: Missing, { profile, fallback }: Cast): string[] {
    if (!fallback) return []
    const [one, other] = [profile.member, fallback.member]
    const why =
      field === 'event'
        ? `${shown(other)}, has kinds of events, and ${shown(one)}, the names of some: the name is the finer one where there is one`
        : `${shown(one)}, is your own id of a person, and ${shown(other)}, the vendor's, which stands where yours is missing`
    return asked(`${why}. Is it so?`)
  }

  #event(): string[] {
    const { roles, table } = this.#facts
    const place = roles.event && this.#place(roles.event)
    if (this.#facts.people) return this.#asPeople(this.#facts.people)
    if (this.#facts.arePeople) return [...this.#fill('event'), ...this.#peopleRecords()]
    if (table?.isPeople && !roles.event?.isSure) {
      const text = `${example('', table.name)} are people by the file's name, and no column says what happened: is it an export of events? If each row should be one event, write $table: the event is then called after the file, or as events: rename: says`
      return [...this.#fill('event'), ...asked(text)]
    }
    if (!roles.event || place === undefined) {
      if (table === undefined || this.#facts.counts.length > 0) return this.#fill('event')
      const line = noted('  event: $table', `${inComment(table.name)}, as the file is called`)
      const text = `nothing in the records names the event, so each is called ${example('', table.name)}; is there a better name?`
      return [line, ...asked(text)]
    }
    const { profile } = roles.event
    const total = profile.member.texts.length
    const top = commonest(profile.member.texts)
      .slice(0, 3)
      .map(([text, count]) => `${example('', text)} ${percentText(count, total)}`)
    const about = `${plural(profile.distinct, 'name')}: ${top.join(', ')}`
    const { fallback } = roles.event
    const other = fallback && this.#place({ profile: fallback })
    const both = other === undefined ? yamlKeyText(place) : `[${yamlKeyText(place)}, ${yamlKeyText(other)}]`
    const lines = this.#field('event', both, roles.event, about)
    if (other !== undefined) lines.push(...this.#fallback('event', roles.event))
    if (total >= 50 && profile.distinct > total / 2) {
      const text = `${number(profile.distinct)} different names in ${number(total)} records: is it a name, or text of its own?`
      lines.push(...asked(text))
    }
    const names = profile.member.values.map((json) => textIn(json))
    const blank = names.filter((text) => /^\s|\s$/.test(text))
    if (blank.length > 0) {
      const text = `${number(blank.length)} of ${number(names.length)} names have blanks at an end, as ${example('', blank[0])}, and are other events than without them: trim them in the export?`
      lines.push(...asked(text))
    }
    return [...lines, ...this.#unfilled(profile, 'event name', filledBy(roles.event))]
  }

  /** Says that rows are sums. */
  #sums(): string[] {
    const { counts } = this.#facts
    if (counts.length === 0) return []
    const text = `these are sums, no events: ${firstFew(counts.map(inComment), 4)} count what others did, and no column is a person. Nothing here can be imported, since events made of sums would be fiction. Where are the events themselves?`
    return askedApart(text)
  }

  /** A row that says who somebody is becomes a `$set` of what it says. */
  #asPeople(tables: readonly string[]): string[] {
    const names = tables.map((name) => inComment(name)).join(', ')
    const line = noted('  event: $table', `${names}, which events.rename makes $set`)
    const text =
      "these rows are people: no column says what happened. Each sets properties of its person, by $set, and doesn't show as an event. Is that what they are? A file of another name needs one more line in events.rename"
    return [line, ...asked(text)]
  }

  /** What is asked about people that are no rows of cells: no rule of a mapping file puts their members under `$set`. */
  #peopleRecords(): string[] {
    const { distinct_id: person, timestamp } = this.#facts.roles
    const path = (cast: Cast | undefined) => (cast ? `.${cast.profile.member.name}` : '…')
    const form = `{event: "$set", distinct_id: ${path(person)}, timestamp: ${path(timestamp)}, "$set": .}`
    return asked(
      `these records are people: no member says what happened. jq -c '${form}' FILE > people.ndjson makes each set properties of its person, and a CSV of them is read so as it is. Is that what they are?`,
    )
  }

  #person(): string[] {
    const { distinct_id: person, anonymous_id: anonymous } = this.#facts.roles
    const place = person && this.#place(person)
    if (!person || place === undefined) return this.#fill('distinct_id')
    const { profile } = person
    const { name } = profile.member
    const other = anonymous && this.#place(anonymous)
    const both = anonymous && other !== undefined && anonymous.fills > 0
    const about = `${number(profile.distinct)} people, as ${example(name, profile.member.texts[0])}`
    const second = person.fallback && this.#place({ profile: person.fallback })
    const places = [place, second, both ? other : undefined]
      .filter((one) => one !== undefined)
      .map(yamlKeyText)
    const value = places.length > 1 ? `[${places.join(', ')}]` : places[0]!
    const lines = this.#field('distinct_id', value, person, about)
    if (second !== undefined) lines.push(...this.#fallback('distinct_id', person))
    if (anonymous && other !== undefined) {
      const line = noted(`  anonymous_id: ${yamlKeyText(other)}`, 'becomes one person with the id beside it')
      lines.push(line, ...this.#anonymous(anonymous, name))
    }
    lines.push(...casedIds(profile.member.texts).flatMap(asked))
    const elsewhere = Math.max(both ? anonymous.fills : 0, filledBy(person))
    const nobodies = elsewhere > 0 ? [] : this.#nobodies(name)
    lines.push(...this.#unfilled(profile, 'person', Math.max(elsewhere, nobodies.length)))
    if (nobodies.length === 0) return lines
    const text = `${number(nobodies.length)} of ${number(this.#facts.records)} records have an id that stands for nobody, as ${example(name, nobodies[0])}: all become one person's. Is the person in another place too? [a, b] takes the first that is somebody`
    return [...lines, ...asked(text)]
  }

  /** The ids of nobody that a transform would take; of null words it takes none. */
  #nobodies(name: string): string[] {
    const values = this.#facts.profiles.find(({ member }) => member.name === name)?.member.values ?? []
    return values.map((json) => textIn(json)).filter((id) => isNobody(id) && !isNullWord(id))
  }

  #anonymous(anonymous: Anonymous, person: string): string[] {
    const { fills, met, shared, users, isSure, profile } = anonymous
    const name = inComment(profile.member.name)
    const lines: string[] = []
    if (fills > 0) {
      const of = number(this.#facts.records)
      const link = met > 0 ? `, and becomes one with the ${inComment(person)} that it occurs beside` : ''
      const text = `${number(fills)} of ${of} records have no ${inComment(person)}, but ${name}: it is the person there${link}`
      const each = isSession(anonymous) ? '; each of its values is a person until then' : ''
      lines.push(...asked(`${text}${each}. Is it an id of one anonymous person?`))
    } else if (!isSure) {
      lines.push(...asked(`${name} is taken for an anonymous id: does each belong to one person?`))
    }
    if (users.length > 0) {
      const text = `${name} holds ids that are a ${inComment(person)} elsewhere (${number(users.length)}, as ${example(name, textIn(users[0]!))}), beside another ${inComment(person)}: each two become one person, for good. Are they visitors before they log in? If they are users, delete the line anonymous_id, or empty ${name} in such rows`
      lines.push(...asked(text))
    }
    if (shared > 0) {
      const text = `${number(shared)} of ${number(met)} ${name} are of several people: what each did without a person becomes its first one's`
      lines.push(...asked(`${text}; delete the line anonymous_id if people share them`))
    }
    return lines
  }

  #timestamp(): string[] {
    const { timestamp } = this.#facts.roles
    const place = timestamp && this.#place(timestamp)
    if (!timestamp || place === undefined) {
      const lines = this.#fill('timestamp')
      if (!this.#facts.people) return lines
      const text =
        'no column has a time, and PostHog wants one: since when is this so? Add a column to the table, such as as_of with the day of the list in each row'
      return [...lines, ...asked(text)]
    }
    const { profile } = timestamp
    const { name } = profile.member
    const { clock } = this.#facts
    const about = `${kindWords(profile.kind)}, as ${example(name, profile.member.texts[0])}`
    const own = yamlKeyText(place)
    const lines = clock
      ? this.#field('time', `[${own}, ${yamlKeyText(clock.member.name)}]`, timestamp, about)
      : this.#field('timestamp', own, timestamp, about)
    if (profile.kind.kind === 'time') {
      const { time } = profile.kind
      if (time.isExcel) lines.push(...asked(excelQuestion(profile)))
      lines.push(...[monthQuestion(time) ?? []].flat().flatMap(asked))
      const bad = time.of - time.fits
      if (time.oldNumbers > 0) {
        const text = `${number(time.oldNumbers)} of ${number(time.of)} numbers, as ${example(name, profile.member.texts[0])}, are days before 2005 if they count from 1970: of another clock, such as Apple's, which counts from 2001? No time_format reads that: write the column anew`
        lines.push(...asked(text))
      }
      if (bad > 0) {
        const text = `${number(bad)} of ${number(time.of)} times have an unknown form, or are not in the past: such records are rejected`
        lines.push(...asked(text))
      }
    }
    const midnight = midnightQuestion(profile, this.#facts.profiles)
    if (midnight !== undefined) lines.push(...asked(midnight))
    return [...lines, ...this.#unfilled(profile, 'time')]
  }

  /** Says what becomes of values that a database writes as objects that say their type. */
  #typed(): string[] {
    const [first, ...more] = this.#facts.profiles.filter(
      ({ member: { name } }) => typedBy(name) !== undefined && !isRole(name, this.#facts),
    )
    if (!first) return []
    const whose = typedBy(first.member.name)!
    const others = more.length === 0 ? ' is' : `, and ${plural(more.length, 'other')} are`
    const plain = whose.startsWith('Mongo')
      ? 'mongoexport --jsonFormat=relaxed writes plain numbers'
      : 'a script such as boto3 with its TypeDeserializer writes plain values'
    const text = `${shown(first.member)}${others} in ${whose} JSON, which says the type of each value: as properties they stay objects. ${plain}; is this the file to take?`
    return asked(text)
  }

  #uuid(): string[] {
    const { uuid } = this.#facts.roles
    const place = uuid && this.#place(uuid)
    if (!uuid || place === undefined) return this.#noUuid()
    const { member } = uuid.profile
    const line = noted(`  uuid: ${yamlKeyText(place)}`, 'another one in each record')
    const whole = spoiltIdQuestions(member).flatMap(asked)
    if (uuid.isSure) return [line, ...whole]
    const text = `${shown(member)}, is another one in each record: is it the event's id? With it a record that comes twice is one event, also when a cell was edited in between; the id is no property then`
    return [line, ...asked(text), ...whole]
  }

  /** Says that a member `uuid` is no event's id, which the preset would take it for. */
  #noUuid(): string[] {
    const { profiles, records, texts } = this.#facts
    const own = profiles.find(({ member }) => member.name === 'uuid' && member.values.length > 0)
    if (!own || repeatsOf(own, texts) === 0) return []
    const line = noted('  uuid: null', 'the column uuid is a property like the others')
    const text = `uuid has ${plural(own.distinct, 'value')} in ${plural(records, 'record')} that differ, as ${example('uuid', own.member.texts[0])}: it is no event's id, and is left out as one. Is it the id of something else?`
    return [line, ...asked(text)]
  }

  /** `elsewhere`: records whose value is in another place. */
  #unfilled({ member }: Profile, what: string, elsewhere = 0): string[] {
    const empty = this.#facts.records - member.values.length - elsewhere
    if (empty <= 0) return []
    const text = `${number(empty)} of ${number(this.#facts.records)} records have no ${what} there and are rejected: is it in another place too? [a, b] takes the first that has a value`
    return asked(text)
  }

  #times(): string[] {
    const { roles, profiles, isText } = this.#facts
    const lines: string[] = []
    const own = roles.timestamp?.profile
    // Forms of other columns are said beside them.
    const others = profiles.filter((one) => isText && isTimeColumn(one) && one !== own)
    const times = [own, ...others].flatMap((one) =>
      one?.kind.kind === 'time' ? [{ one, name: inComment(one.member.name), time: one.kind.time }] : [],
    )
    for (const { one, name, time } of times) {
      const { formats, order } = time
      if (one !== own || formats.length === 0) continue
      lines.push(`time_format: ${JSON.stringify(formats.length === 1 ? formats[0] : formats)}`)
      if (order?.isSure) lines.push(...comment(`${name}: ${order.why}`, '  '))
      else if (order) lines.push(...asked(`${name}: ${order.why}; or is it ${order.other}?`))
    }
    const zoneless = times.find(({ time }) => time.zoneless > 0)
    if (zoneless) {
      const { name, time } = zoneless
      lines.push(noted('source_timezone: UTC', 'or a name, such as America/New_York'))
      const text = `${number(time.zoneless)} of ${number(time.of)} times of ${name} carry no zone: UTC?`
      lines.push(...asked(text))
    }
    return section(lines)
  }
}

/** A line with a comment behind it. */
function noted(line: string, about: string): string {
  return `${line.padEnd(WIDTH)}  # ${about}`
}

function shown({ name, texts }: Profile['member']): string {
  return `${inComment(name)}, as ${example(name, texts[0])}`
}

/** What is asked about ids of which some are others in another case. */
function casedIds(texts: readonly string[]): string[] {
  const spellings = groupedBy(new Set(texts), (text) => text.toLowerCase())
  const several = [...spellings.values()].filter(({ length }) => length > 1)
  const [first] = several
  if (!first) return []
  const all = sum(several, ({ length }) => length)
  return [
    `${plural(all, 'id')} differ only in the case of letters, as ${firstFew(
      first.map((id) => example('', id)),
      2,
    )}: each is a person of its own. If they are the same people, write them alike in the export`,
  ]
}

/** The records whose value is in the second place. */
function filledBy({ profile, fallback }: Cast): number {
  const first = new Set(profile.member.at)
  return fallback?.member.at.filter((record) => !first.has(record)).length ?? 0
}

function section(lines: readonly string[], ...head: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...head, ...lines]
}
