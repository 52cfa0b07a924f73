import type { ChartCall, ChartSide } from '../../charts/index.ts'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/index.ts'
import type { Io } from '../../io.ts'
import { type Api, chooseProject, projectCalendar, serviceCharts } from '../../service/index.ts'
import { type ChartedBy, vendorNamed } from '../../sources/index.ts'
import { MS_PER_SECOND, span } from '../../text/index.ts'
import type { AskedSide } from './ask-charts.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { CompareOrder } from './order.ts'

/** Waits that are shorter than this are not worth a line. */
const TOLD_FROM_MS = 10 * MS_PER_SECOND

/** A vendor that is asked, and how its charts count raw records. */
export interface VendorSide {
  readonly side: ChartSide
  readonly charted: ChartedBy | undefined
  readonly project: string
}

/** Opens the side of the vendor. Code `auth` or `config` for credentials that are not whole. */
export async function openVendor(
  { vendor: project, retryForMs, quietMs }: CompareOrder,
  kept: KeptAnswers,
  io: Io,
): Promise<VendorSide | undefined> {
  if (!project) return undefined
  const work = await vendorNamed(project.vendor).load()
  if (!work.chartSide) {
    throw new PosthaulError(`${project.vendor} answers no charts`, { code: 'usage' })
  }
  const side = await work.chartSide(project, {
    env: io.env,
    stdin: io.stdin,
    clock: systemClock,
    patienceMs: quietMs,
    memory: kept,
    retry: {
      retryForMs,
      clock: systemClock,
      random: Math.random,
      onRetry: ({ message }, ms) => {
        if (ms >= TOLD_FROM_MS) io.telemetry.note('compare', `waiting ${span(ms)}: ${message}`)
      },
    },
  })
  return { side, charted: work.charted, project: JSON.stringify(projectOf(project, io)) }
}

/** What tells a vendor's project from others, without its keys. */
function projectOf({ vendor, region, baseUrl }: NonNullable<CompareOrder['vendor']>, { env }: Io) {
  const id = env[`${vendor === 'posthog' ? 'POSTHOG_SOURCE' : vendor.toUpperCase()}_PROJECT_ID`]
  return [vendor, region, baseUrl, id ?? null]
}

/** The side of PostHog, and the zone of its days. */
export interface ServiceSide {
  readonly side: ChartSide
  readonly projectId: string
  readonly zone: string
}

export async function openService(api: Api): Promise<ServiceSide> {
  const projectId = await chooseProject(api)
  const { zone } = await projectCalendar(api, projectId)
  return { side: serviceCharts(api, projectId), projectId, zone }
}

/** A side with the call that asks it and the key of its answers. */
export function askedSide(
  side: ChartSide,
  { project, as, names }: Pick<AskedSide['key'], 'project' | 'as'> & Pick<ChartCall, 'names'>,
  { interrupted: signal, telemetry }: Io,
): AskedSide {
  const note = (text: string) => telemetry.note('compare', text)
  return { side, key: { side: side.name, project, as }, call: { signal, names, note } }
}
