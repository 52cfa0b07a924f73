import { z } from 'zod'
import {
  type AroundCall,
  type AroundRow,
  type AroundSource,
  given,
  mergeAlike,
  restOf,
  type Untold,
} from '../../around/index.ts'
import { isUntold, orUntold } from '../not-told.ts'
import { type AroundAsker, askAround, COHORT_LIMITS, TAXONOMY_LIMITS } from './asked-around.ts'
import { behavioralCohorts } from './behavioral-cohorts.ts'
import { taxonomyEvents, taxonomyProperties } from './taxonomy.ts'

/** Quotas by the name that they are remembered by. */
export const AROUND_QUOTAS = { taxonomy: TAXONOMY_LIMITS, cohorts: COHORT_LIMITS, around: [] } as const

/** A client for each quota. */
export type AroundAskers = Readonly<Record<keyof typeof AROUND_QUOTAS, AroundAsker>>

const UNTOLD = 'Amplitude lists its charts and dashboards only to those who log in'

/** What lies around the events of a project, as one pulls it. docs/around.md says what Amplitude does not tell. */
export function amplitudeAround(identity: string, { taxonomy, cohorts, around }: AroundAskers): AroundSource {
  const behavioral = behavioralCohorts(cohorts, around)
  return {
    ...{ name: 'Amplitude', identity },
    read: {
      events: (call) => taxonomyEvents(taxonomy, call),
      properties: (call) => taxonomyProperties(taxonomy, call),
      annotations: (call) => chartAnnotations(around, call),
      cohorts: behavioral.cohorts,
      reports: async () => ({ untold: UNTOLD }),
      dashboards: async () => ({ untold: UNTOLD }),
    },
    members: behavioral.members,
    async close() {
      await Promise.all([taxonomy, cohorts, around].map(({ client }) => client.close()))
    },
  }
}

const words = z.string().nullish()
/** `2025-11-01T07:00:00+00:00`. In the document's form of it there are no seconds. */
const time = z
  .string()
  .transform((text) => text.replace(/T\d\d:\d\d(?=Z|[+-])/, '$&:00'))
  .pipe(z.iso.datetime({ offset: true }))

/** `GET /api/3/annotations` (amplitude.com/docs/apis/analytics/chart-annotations): all, in one answer. */
const ANNOTATIONS = z.object({
  data: z.array(
    z.looseObject({
      label: z.string(),
      start: time,
      details: words,
      category: z.looseObject({ name: words, category: words }).nullish(),
    }),
  ),
})

/** `GET /api/2/annotations`, which came before it: by the day, of the project's zone. */
const DAYS = z.object({
  data: z.array(z.looseObject({ label: z.string(), date: z.iso.date(), details: words })),
})

/** A team's annotations. Their text is the label and, on lines of their own, the details. */
async function chartAnnotations(
  asker: AroundAsker,
  call: AroundCall,
): Promise<readonly AroundRow<'annotations'>[] | Untold> {
  const what = 'list of annotations'
  const told = await orUntold(askAround(asker, '/api/3/annotations', ANNOTATIONS, { call, what }))
  if (!isUntold(told)) return mergeAlike('annotations', told.data.map(annotationRow))
  const older = await orUntold(askAround(asker, '/api/2/annotations', DAYS, { call, what }))
  if (isUntold(older)) return told
  if (older.data.length > 0)
    call.note("annotations have days without a zone: they are taken for UTC, and are those of the project's")
  return mergeAlike('annotations', older.data.map(dayRow))
}

type Annotation = z.output<typeof ANNOTATIONS>['data'][number]
type Day = z.output<typeof DAYS>['data'][number]

function annotationRow(told: Annotation): AroundRow<'annotations'> {
  const category = told.category?.name || told.category?.category
  const said = ['id', 'label', 'start', 'details', ...(category ? ['category'] : [])]
  const tags = category ? [category] : undefined
  return { at: told.start, text: textOf(told), ...given({ tags, more: restOf(told, said) }) }
}

function dayRow(told: Day): AroundRow<'annotations'> {
  const more = restOf(told, ['id', 'label', 'details'])
  return { at: `${told.date}T00:00:00Z`, text: textOf(told), ...given({ more }) }
}

function textOf({ label, details }: Pick<Day, 'label' | 'details'>): string {
  return details ? `${label}\n${details}` : label
}
