import { YOUNG_HOURS } from '../../delivery/pacer.ts'
import { MERGING } from '../../record/merging.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_NAME, MAX_GROUP_KEY } from '../../record/rules.ts'
import {
  APART_EVENT,
  MOST_ARRAYS,
  MOST_ID_BYTES,
  TEMPORARY_DAYS,
  UNPARSEABLE,
} from '../../record/stored-properties.ts'
import { formatInstant } from '../../record/time.ts'
import { number, plural } from '../../text/words.ts'
import type { StorageProblem } from '../storage-seen.ts'
import { remedyOf } from './rejects.ts'
import {
  byData,
  byDocument,
  type EventAbout,
  mappingLine,
  type SampleWords,
  type Wording,
  yamlName,
} from './wording.ts'

/** What is said of what the events hold: sizes, names, numbers, times, groups, sessions. */
const DATA_WORDS = {
  large_events: byDocument.warning(({ count }) => ({
    text: `${plural(count, 'event')} of more than ${number(MAX_EVENT_BYTES)} bytes: the service has no room for them, so they are rejects`,
    remedy: `drop the property that takes the room, ${mappingLine('properties: { drop: [name] }')}`,
  })),
  big_integers: byDocument.warning(({ some, isOfFiles }) => ({
    text: `numbers over 2^53 or 17 digits, which the service rounds, in ${some}`,
    remedy: `${isOfFiles ? 'import' : 'make the dataset again'} with --big-integers string to keep their digits`,
  })),
  event_names_cut: byDocument.note(({ count }) => ({
    text: `${plural(count, 'event name')} of more than ${MAX_EVENT_NAME} bytes: cut there, as the service would cut them`,
    remedy: `for a name of your own, ${mappingLine('events: { rename: { "the long name": short } }')}`,
  })),
  ids_trimmed: byDocument.note(({ count }) => ({
    text: `${plural(count, 'id')} with blanks around: without them, one person is not taken for two`,
    remedy:
      'nothing, unless the blanks tell two people apart: then give these ids of their own in the source',
  })),
  clock_twice: byData.note(({ count, some }) => ({
    text: `${plural(count, 'time falls', 'times fall')} into an hour that the clocks of ${some || "the source's zone"} had twice: the first is taken`,
    remedy: 'times with their offset, if the source has them, are read exactly',
  })),
  clock_skipped: byData.warning(({ count, some }) => ({
    text: `${plural(count, 'time falls', 'times fall')} into an hour that the clocks of ${some || "the source's zone"} skipped: read by the offset before the change`,
    remedy: `is it the zone of the data? ${mappingLine('source_timezone: UTC')} reads them as they are`,
  })),
  dropped_events: byDocument.error(({ count, some, names }) => ({
    text: `${plural(count, 'event')} named ${some}: the service accepts such events and drops them`,
    remedy: mappingLine(`events: { drop: [${yamlName(names[0]!)}] }, or rename them`),
  })),
  old_events: byData.warning(({ count, some }) => ({
    text: `${plural(count, 'event')} from before 2005: ${some}; most likely the wrong number was read as their time`,
    remedy: `look at their records, mend the source, or leave them out, ${mappingLine('filter: { from: 2005-01-01 }')}`,
  })),
  young_events: byDocument.warning(({ count, youngFrom }) => ({
    text: `${plural(count, 'event')} younger than ${YOUNG_HOURS} hours: they can be billed as live events`,
    remedy: `send them later, or leave them out, ${mappingLine(`filter: { to: ${formatInstant(youngFrom).slice(0, 19)}Z }`)}`,
  })),
  long_group_keys: byDocument.error(({ count }) => ({
    text: `${plural(count, 'group event')} with a key of more than ${MAX_GROUP_KEY} characters: the service drops them`,
    remedy: 'leave them out with a mapping file, or mend the source',
  })),
  forced_merges: byDocument.warning(({ count, some }) => ({
    text: `${plural(count, 'event')} named ${some}: such events merge persons for good`,
    remedy: 'keep them only if the source merged these persons, too',
  })),
} satisfies Record<string, Wording<EventAbout>>

const FROM = `from ${MERGING.changed} on PostHog`
const KEEP = 'in the mapping file, for a name of your own: '

/** What is said of what the service keeps in another form from 30 November on, or not. */
const STORAGE_WORDS = {
  unreadable_properties: byDocument.warning((about) => ({
    text: `arrays nested more than ${MOST_ARRAYS} deep in ${values(about)}: ${FROM} puts ALL properties of such an event into one text, ${UNPARSEABLE}, and no query reads one of them`,
    remedy: mappingLine('deep: text, which sends such an array as its own JSON text'),
  })),
  dropped_properties: byDocument.warning((about) => ({
    text: `${values(about)}: ${FROM} drops properties of these names`,
    remedy: renamed(about),
  })),
  long_distinct_ids: byDocument.warning(({ count }) => ({
    text: `${plural(count, 'event')} of a distinct_id over ${MOST_ID_BYTES} bytes, though not over ${MOST_ID_BYTES} characters: Capture V1 drops such events`,
    remedy: 'import with --via batch, which counts characters',
  })),
  person_history: byDocument.note((about) => ({
    text: `${values(about)}: persons and groups get them as always, but ${FROM} keeps what each event set for ${TEMPORARY_DAYS} days only, counted from the import`,
    remedy:
      'if you need that history in queries, send it under a name of your own too, or take it out in time',
  })),
  temporary_properties: byDocument.note((about) => ({
    text: `${values(about)}: ${FROM} keeps properties of these names for ${TEMPORARY_DAYS} days, counted from the import`,
    remedy: renamed(about),
  })),
  flag_properties: byDocument.note((about) => ({
    text: `${values(about)}: ${FROM} keeps the values of flags as text, in the map $feature_flags`,
    remedy: renamed(about),
  })),
  exposures: byDocument.note(({ count }) => ({
    text: `${plural(count, 'event')} named ${APART_EVENT}: ${FROM} keeps them apart from other events, so no count of events has them`,
    remedy: "of Statsig's exposures: transform without the switch keep-exposures, if you don't need them",
  })),
  text_properties: byDocument.note((about) => ({
    text: `a number, true or false as ${values(about, about.isSampled ? 'about ' : '')}: ${FROM} keeps these as text, so no chart adds them up`,
    remedy: renamed(about),
  })),
  mixed_lists: byDocument.note((about) => ({
    text: `lists of true or false with numbers or texts in ${values(about, about.isSampled ? 'about ' : '')}: ${FROM} keeps them as 1 and 0, or as words`,
    remedy: 'mend the source if this matters: a list whose values are all of one kind stays as it is',
  })),
  list_properties: byDocument.note((about) => ({
    text: `other values than lists of ${about.names.every((name) => name === '$exception_list') ? 'objects' : 'their kind'} in ${values(about, about.isSampled ? 'about ' : '')}: ${FROM} makes such lists of them, and what can be none goes to ${UNPARSEABLE}`,
    remedy: renamed(about),
  })),
  unsigned_groups: byDocument.warning(({ count, isSampled }) => ({
    text: `${isSampled ? 'about ' : ''}${plural(count, 'event')} with properties.groups: PostHog knows the groups of an event by $groups alone, so ${count === 1 ? 'it is' : 'they are'} in no group`,
    remedy: `${mappingLine('groups: { company: properties.groups.company }, a line for each type, makes $groups of it')}`,
  })),
} satisfies Record<StorageProblem['code'], Wording<EventAbout>>

/** `$lib in 12 events`; of several names each value counts. */
function values({ count, some, names }: EventAbout, about = ''): string {
  return names.length === 1
    ? `${some} in ${about}${plural(count, 'event')}`
    : `${some} (${about}${number(count)} values)`
}

function renamed({ names }: EventAbout): string {
  const name = names[0]!
  return `${KEEP}properties: { rename: { ${yamlName(name)}: ${yamlName(name.replace(/^\$+/, 'was_'))} } }`
}

/** What is said of events by whoever has read some: the same words wherever a problem is shown. */
export const EVENT_WORDS = { ...DATA_WORDS, ...STORAGE_WORDS }

/** What only a sample is told: what a transform will do besides, and what the whole input does. */
export const SAMPLE_WORDS = {
  distinct_id_too_long: byData.warning(({ count }) => ({
    text: `${plural(count, 'record')} with a distinct_id that the service would cut, which would join people: a transform rejects ${count === 1 ? 'it' : 'them'}`,
    remedy: remedyOf('distinct_id_too_long'),
  })),
  not_finite: byData.note((about) =>
    mended(about, 'NaN and infinities, which JSON does not have, become null'),
  ),
  deep_array: byData.note((about) =>
    mended(about, 'arrays nested over 8 deep, which PostHog could not query, become their own JSON text'),
  ),
  lone_surrogate: byData.note((about) =>
    mended(about, 'half a character, which the service refuses, becomes U+FFFD'),
  ),
  huge_number: byData.note((about) =>
    mended(about, 'a number beyond the range of doubles, which the service refuses, becomes text'),
  ),
  forget: byData.note(() => ({
    text: 'the list of people to forget is applied by a transform, and not to this sample',
  })),
  unjoined: byData.note(() => ({
    text: 'a transform joins these tables with the records; they are too large for this page',
  })),
  billed: byDocument.note(() => ({ text: 'historical migrations are free for projects on a paid plan' })),
} satisfies Record<string, Wording<EventAbout, SampleWords>>

function mended({ count }: EventAbout, what: string): SampleWords {
  return { text: `${what} (${plural(count, 'time')})` }
}
