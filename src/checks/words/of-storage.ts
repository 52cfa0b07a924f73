import { MERGING } from '../../record/merging.ts'
import {
  APART_EVENT,
  MOST_ARRAYS,
  MOST_ID_BYTES,
  TEMPORARY_DAYS,
  UNPARSEABLE,
} from '../../record/stored-properties.ts'
import { number, plural } from '../../text/words.ts'
import type { StorageProblem } from '../storage-problems.ts'
import { type EventAbout, mappingLine, note, type Wording, warning, yamlName } from './wording.ts'

const FROM = `from ${MERGING.changed} on PostHog`
const KEEP = 'in the mapping file, for a name of your own: '

/** What is said of what the service keeps in another form from 30 November on, or not. */
export const STORAGE_WORDS = {
  unreadable_properties: warning((about) => ({
    text: `arrays nested more than ${MOST_ARRAYS} deep in ${values(about)}: ${FROM} puts ALL properties of such an event into one text, ${UNPARSEABLE}, and no query reads one of them`,
    remedy: mappingLine('deep: text, which sends such an array as its own JSON text'),
  })),
  dropped_properties: warning((about) => ({
    text: `${values(about)}: ${FROM} drops properties of these names`,
    remedy: renamed(about),
  })),
  large_person_properties: warning(({ count, some }) => ({
    text: `${plural(count, 'distinct_id')} of which all events together set more than 512 KiB of person properties, the largest of them ${some}: PostHog keeps no more of a person, and trims or refuses the rest; properties of joined ids add up besides`,
    remedy: mappingLine('person_properties: drop, or properties: { drop: [name] }'),
  })),
  long_distinct_ids: warning(({ count }) => ({
    text: `${plural(count, 'event')} of a distinct_id over ${MOST_ID_BYTES} bytes, though not over ${MOST_ID_BYTES} characters: Capture V1 drops such events`,
    remedy: 'import with --via batch, which counts characters',
  })),
  person_history: note((about) => ({
    text: `${values(about)}: persons and groups get them as always, but ${FROM} keeps what each event set for ${TEMPORARY_DAYS} days only, counted from the import`,
    remedy:
      'if you need that history in queries, send it under a name of your own too, or take it out in time',
  })),
  temporary_properties: note((about) => ({
    text: `${values(about)}: ${FROM} keeps properties of these names for ${TEMPORARY_DAYS} days, counted from the import`,
    remedy: renamed(about),
  })),
  flag_properties: note((about) => ({
    text: `${values(about)}: ${FROM} keeps the values of flags as text, in the map $feature_flags`,
  })),
  exposures: note(({ count }) => ({
    text: `${plural(count, 'event')} named ${APART_EVENT}: ${FROM} keeps them apart from other events, so no count of events has them`,
    remedy: "of Statsig's exposures: transform without the switch keep-exposures, if you don't need them",
  })),
  text_properties: note((about) => ({
    text: `a number, true or false as ${values(about, about.isSampled ? 'about ' : '')}: ${FROM} keeps these as text, so no chart adds them up`,
    remedy: renamed(about),
  })),
  long_integers: note((about) => ({
    text: `integers beyond 64 bits in ${values(about)}: ${FROM} keeps them as text`,
  })),
} satisfies Record<StorageProblem['kind'], Wording<EventAbout>>

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
