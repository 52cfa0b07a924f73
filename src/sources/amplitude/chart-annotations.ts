import { z } from 'zod'
import {
  type AroundCall,
  type AroundRow,
  given,
  mergeAlike,
  restOf,
  type Untold,
} from '../../around/index.ts'
import { isUntold, orUntold } from '../not-told.ts'
import { type AroundAsker, askAround } from './asked-around.ts'

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
export async function chartAnnotations(
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
