import { row } from '../row.ts'
import type { Parse } from '../values.ts'

// What is carried of what lies around the events.

const KINDS = ['events', 'properties', 'annotations', 'cohorts', 'reports', 'dashboards'] as const

const kindList: Parse<readonly (typeof KINDS)[number][]> = (text) => {
  const words = text.split(',').map((word) => word.trim())
  const kinds = KINDS.filter((kind) => words.includes(kind))
  if (kinds.length === new Set(words).size) return kinds
  throw new RangeError(`expected some of ${KINDS.join(', ')}, with commas`)
}

export const ONLY_KINDS = row({
  flag: '--only <kinds>',
  parse: kindList,
  otherwise: 'all',
  help: 'events, properties, annotations, cohorts, reports, dashboards; several with commas',
})

export const AROUND_OUT = row({ flag: '--out <folder>', default: 'around', help: 'folder of the files' })

export const AROUND_SHOWN = row({
  flag: '--around <folder>',
  help: 'show what the last push of this folder brought, too',
})

export const OVERWRITE_WORDS = row({
  flag: '--overwrite',
  help: 'write over what people wrote in PostHog since, too',
})

export const AROUND_DRY_RUN = row({ flag: '--dry-run', help: 'say what would be written, as diff does' })

export const TAKE_BACK = row({
  flag: '--undo',
  help: 'take back what this folder brought and nobody changed since',
})
