import { z } from 'zod'
import { type AroundRow, given, restOf } from '../../around/index.ts'
import { isTimeZone, parseTime, zoneOffsetMicros } from '../../record/index.ts'
import { MS_PER_MINUTE } from '../../text/index.ts'
import { VendorError } from '../vendor-client.ts'
import { appList, mixpanelRefusal } from './app-api.ts'
import type { MixpanelCall, QueryApi } from './query-api.ts'

const annotationSchema = z.looseObject({
  date: z.string(),
  description: z.string().nullish(),
  tags: z.array(z.looseObject({ name: z.string() })).nullish(),
})

const meSchema = z.object({
  results: z.object({ projects: z.record(z.string(), z.looseObject({ timezone: z.string().nullish() })) }),
})

/**
 * The annotations, by `GET /api/app/projects/<id>/annotations` (docs.mixpanel.com/reference/list-all-annotations-for-project).
 * Their time is `2026-03-02 09:00:00`, and no document says of which zone: it is taken for that of the project, in which
 * Mixpanel shows its charts.
 */
export async function annotationsOf(api: QueryApi, call: MixpanelCall): Promise<AroundRow<'annotations'>[]> {
  const annotations = await appList(api, { path: 'annotations', row: annotationSchema }, call)
  const zone = annotations.length === 0 ? 'UTC' : await zoneOf(api, call)
  return annotations.map((annotation) => {
    const { date, description, tags } = annotation
    const more = restOf(annotation, ['id', 'date', 'description', 'tags'])
    return {
      at: timeIn(zone, date),
      text: description ?? '',
      ...given({ tags: tags?.map(({ name }) => name), more }),
    }
  })
}

/** The project's zone, by `GET /api/app/me`, which no document names. UTC, with a note, where Mixpanel does not tell it. */
async function zoneOf(api: QueryApi, call: MixpanelCall): Promise<string> {
  let why = 'it names none for this project'
  try {
    const me = await api.ask('/api/app/me', meSchema, call, { expected: mixpanelRefusal })
    const zone = me.results.projects[api.projectId ?? '']?.timezone
    if (zone && isTimeZone(zone)) return zone
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    why = error.message
  }
  call.note(
    `Mixpanel does not tell the project's time zone, so that its annotations are taken for UTC: ${why}`,
  )
  return 'UTC'
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/

/** A time with its zone, as RFC 3339. What is no time is left as it is: it is left out, and said. */
function timeIn(zone: string, text: string): string {
  const [, day, minute = '00:00', second = ':00'] = LOCAL.exec(text) ?? []
  if (day === undefined) return text
  const wall = `${day}T${minute}${second}`
  try {
    const offset = Math.round(zoneOffsetMicros(parseTime(`${wall}Z`), zone) / 1000 / MS_PER_MINUTE)
    if (offset === 0) return `${wall}Z`
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    return `${wall}${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`
  } catch {
    return text
  }
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0')
}
