import { onTestFinished } from 'vitest'
import type { AroundCall, AroundSource } from '../../../src/around/around-source.ts'
import type { Chart, ChartQuery, SeriesChart } from '../../../src/charts/chart.ts'
import type { ChartAnswer } from '../../../src/charts/chart-answer.ts'
import type { ChartCall, ChartSide, VendorNames } from '../../../src/charts/chart-side.ts'
import type { Clock } from '../../../src/http/clock.ts'
import { mixpanelWork } from '../../../src/sources/mixpanel/mixpanel.ts'
import type { QuotaMemory } from '../../../src/sources/source.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { FakeMixpanel, type FakeMixpanelOptions, type MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'

export const NOW = Date.parse('2024-06-01T00:00:00Z')

export async function fakeOf(
  events: readonly MixpanelEvent[],
  options: Partial<FakeMixpanelOptions> = {},
): Promise<FakeMixpanel> {
  const fake = await new FakeMixpanel({ events, ...options }).start()
  onTestFinished(() => fake.close())
  return fake
}

/** Remembers as an export's state does. */
export function quotaMemory(): QuotaMemory {
  const kept = new Map<string, readonly number[]>()
  return {
    asked: (quota) => kept.get(quota) ?? [],
    remember: async (quota, asked) => void kept.set(quota, [...asked]),
  }
}

interface ToolOptions {
  readonly clock?: Clock
  readonly memory?: QuotaMemory
}

function toolsOf(
  { credentials: { user, secret } }: FakeMixpanel,
  { clock = new FakeClock(NOW), memory = quotaMemory() }: ToolOptions,
) {
  return {
    env: { MIXPANEL_PROJECT_ID: '42', MIXPANEL_SERVICE_ACCOUNT: user, MIXPANEL_SERVICE_SECRET: secret },
    stdin: process.stdin,
    clock,
    patienceMs: 5000,
    retry: { retryForMs: 3_600_000, clock, random: () => 0 },
    memory,
  }
}

export async function sideOf(fake: FakeMixpanel, options: ToolOptions = {}): Promise<ChartSide> {
  const tools = toolsOf(fake, options)
  const side = await mixpanelWork.chartSide!({ vendor: 'mixpanel', baseUrl: fake.url }, tools)
  onTestFinished(() => side.close())
  return side
}

/** A call of what lies around events, whose notes are kept. */
export function aroundCall(notes: string[] = []): AroundCall {
  return { signal: new AbortController().signal, note: (text) => void notes.push(text) }
}

export async function aroundOf(fake: FakeMixpanel, options: ToolOptions = {}): Promise<AroundSource> {
  const project = { vendor: 'mixpanel', region: 'eu', baseUrl: fake.url }
  const source = await mixpanelWork.around!(project, toolsOf(fake, options))
  onTestFinished(() => source.close())
  return source
}

/** Names as a mapping makes them. Those that it doesn't name stay as they are. */
export function namesOf(
  events: Readonly<Record<string, readonly string[]>> = {},
  all: readonly string[] = [],
): VendorNames {
  return {
    events: (final) => {
      if (final === null) return all
      return Object.hasOwn(events, final) ? events[final]! : [final]
    },
    property: (final) => (final === 'made of two' ? undefined : final),
    finalEvent: (name) => Object.keys(events).find((final) => events[final]!.includes(name)) ?? name,
    finalProperty: (name) => name,
  }
}

export function callOf(names: VendorNames = namesOf(), notes: string[] = []): ChartCall {
  return { signal: new AbortController().signal, names, note: (text) => void notes.push(text) }
}

export function series(event: string | null, more: Partial<SeriesChart> = {}): SeriesChart {
  return {
    kind: 'series',
    event,
    where: [],
    measure: 'count',
    property: null,
    interval: 'day',
    by: null,
    ...more,
  }
}

let charts = 0
export function chartOf(query: ChartQuery, report: string | null = null): Chart {
  return { name: `chart ${++charts}`, query, report }
}

/** An answer's cells as `2024-03-01: 5`, or `2024-03-01 Berlin: 5`. */
export function cellsOf(answer: ChartAnswer): string[] {
  return answer.cells.map(({ at, by, value }) => `${at}${by === null ? '' : ` ${by}`}: ${value}`).sort()
}
