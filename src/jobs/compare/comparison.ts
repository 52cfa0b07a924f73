import { rm } from 'node:fs/promises'
import type { Chart, ChartSpan, VendorNames } from '../../charts/index.ts'
import {
  type ChainOrder,
  defaultCharts,
  type Explained,
  explainCharts,
  largestNames,
} from '../../compare/index.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { type Api, arrivedCharts } from '../../service/index.ts'
import { makeFolder, scratchFolder } from '../../store/index.ts'
import { workHome } from '../import-state/state-place.ts'
import { type AskedSide, askCharts, type ChartAnswers, type ChartAsking } from './ask-charts.ts'
import { chartProperties, chartsOf } from './asked-charts.ts'
import { compareJson } from './compare-json.ts'
import type { ComparedChart } from './compared.ts'
import { type ComparedHistory, namesBefore, type ReadHistory, readHistory } from './compared-history.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { CompareOrder } from './order.ts'
import type { ComparedQuestion } from './questions-file.ts'
import type { CompareResult } from './result.ts'
import { type SentSoFar, sentSoFar } from './sent-until.ts'
import { askedSide, type ServiceSide, type VendorSide } from './sides.ts'
import { driftCells } from './since-cutover.ts'
import { daysSince, wholeDays } from './span.ts'
import { funnelRule, listedPeople } from './vendor-rules.ts'

/** A comparison: its result, and the charts with all their numbers. */
export interface Compared {
  readonly result: CompareResult
  readonly charts: readonly ComparedChart[]
  /** `arrival.sha256` of each dataset. */
  readonly datasets: readonly string[]
}

/** All that a comparison works with. */
export interface ComparedSides {
  readonly order: CompareOrder
  /** Undefined for those that are asked where nobody names any. */
  readonly questions: readonly ComparedQuestion[] | undefined
  readonly history: ComparedHistory
  readonly vendor: VendorSide | undefined
  readonly service: ServiceSide
  readonly api: Api
  readonly kept: KeptAnswers
}

/** What is asked of whom. */
interface Asked {
  readonly charts: readonly Chart[]
  readonly span: ChartSpan
  readonly vendor: AskedSide | undefined
  readonly service: AskedSide
  readonly sent: SentSoFar
}

interface BothAnswers {
  readonly vendor: ChartAnswers | undefined
  readonly service: ChartAnswers
}

/** Asks the sides of a comparison, and explains what differs. */
export class Comparison {
  readonly #sides: ComparedSides
  readonly #io: Io
  readonly #notes: string[]
  readonly #tally = new Map<string, { charts: number; kept: number; since: string | null }>()

  constructor(sides: ComparedSides, io: Io) {
    this.#sides = sides
    this.#io = io
    this.#notes = [...sides.history.notes]
  }

  async run(): Promise<Compared> {
    const { order, history, vendor } = this.#sides
    const span = this.#span()
    const home = workHome(this.#io.env, order.workDir)
    await makeFolder(home)
    const folder = await scratchFolder('posthaul-compare-', home)
    try {
      const charts = await this.#charts(span)
      const properties = chartProperties(charts)
      const reading = { properties, charted: vendor?.charted, folder, order }
      const read = await readHistory(history, reading, this.#io)
      try {
        return await this.#compare({ charts, span, properties }, read)
      } finally {
        await read.tables.close()
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** The charts of the questions; names in saved reports are translated by what preset and mapping file say. */
  async #charts(span: ChartSpan): Promise<readonly Chart[]> {
    const { questions, history, vendor, order } = this.#sides
    if (!questions) return defaultCharts(largestNames(history.names), span)
    const names = await namesBefore(history, order.mapping)
    const asked = vendor && askedSide(vendor.side, { project: vendor.project, as: '', names }, this.#io)
    const { charts, notes } = await chartsOf(questions, asked)
    this.#notes.push(...notes)
    return charts
  }

  async #compare(
    { properties, ...what }: Pick<Asked, 'charts' | 'span'> & { readonly properties: readonly string[] },
    read: ReadHistory,
  ): Promise<Compared> {
    const { order, service } = this.#sides
    const { charts } = what
    const asked = await this.#asked(what, read.names)
    const answers = await this.#askAll(asked)
    const isDrift = order.sinceCutover !== undefined
    const explained = isDrift ? undefined : await this.#explain(asked, answers, properties, read)
    const compared = charts.map((chart): ComparedChart => {
      const cells =
        explained?.cells.get(chart.name) ??
        driftCells(answers.vendor?.get(chart.name), answers.service.get(chart.name))
      const shown = chart.query.kind === 'people' ? listedPeople(order.vendor?.vendor, cells) : cells
      return { chart, cells: shown, ...this.#said(chart.name, answers) }
    })
    const zone = explained?.zone
    if (zone?.known === 'assumed')
      this.#notes.push(
        "the zone of the vendor's days can't be told from so few: UTC is assumed; --vendor-zone says it",
      )
    const result = compareJson({
      datasets: order.names,
      with: order.vendor?.vendor ?? null,
      span: asked.span,
      zones: { vendor: zone?.zone ?? order.vendorZone ?? null, posthog: service.zone },
      tolerance: order.tolerance,
      charts: compared,
      asked: [...this.#tally].map(([side, tally]) => ({ side, ...tally })),
      notes: [...new Set(this.#notes)],
    })
    const datasets = this.#sides.history.places.flatMap(({ manifest }) => manifest.arrival?.sha256 ?? [])
    return { result, charts: compared, datasets }
  }

  async #asked(what: Pick<Asked, 'charts' | 'span'>, names: VendorNames): Promise<Asked> {
    const { order, history, vendor, service } = this.#sides
    const sent = await sentSoFar(order.place, history.places[0]!.store)
    const as = JSON.stringify(
      history.places.map(({ manifest }) => [manifest.source.mapping_sha256, manifest.rules]),
    )
    const arrived = { project: service.projectId, as: sent.print ?? '', names: undefined }
    return {
      ...what,
      vendor: vendor && askedSide(vendor.side, { project: vendor.project, as, names }, this.#io),
      service: askedSide(service.side, arrived, this.#io),
      sent,
    }
  }

  #span(): ChartSpan {
    const { order, history, vendor, service } = this.#sides
    const vendorZone = vendor ? [order.vendorZone] : []
    if (order.sinceCutover !== undefined) {
      const zones = [service.zone, order.vendorZone ?? 'Etc/GMT+12']
      const since = daysSince(order.sinceCutover, zones, Date.now())
      if (since) return since
      throw new PosthaulError(`no day since ${order.sinceCutover} is over yet`, {
        code: 'usage',
        hint: 'compare tomorrow',
      })
    }
    const whole = wholeDays(history.span, [service.zone, ...vendorZone])
    if (whole) return whole
    this.#notes.push(
      'the events are of so few days that none may be whole in both projects: numbers at the ends can differ',
    )
    return history.span
  }

  async #askAll({ charts, span, vendor, service }: Asked) {
    const asking: ChartAsking = {
      kept: this.#sides.kept,
      answered: ({ key: { side } }, { askedAt }, isNew) => {
        const { charts: count, kept, since } = this.#tally.get(side) ?? { charts: 0, kept: 0, since: null }
        const oldest = since === null || askedAt < since ? askedAt : since
        this.#tally.set(side, { charts: count + 1, kept: kept + (isNew ? 0 : 1), since: oldest })
      },
    }
    const all = await Promise.allSettled([
      vendor && askCharts(vendor, charts, span, asking),
      askCharts(service, charts, span, asking),
    ])
    for (const one of all) if (one.status === 'rejected') throw one.reason
    const [ofVendor, ofService] = all.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
    return { vendor: ofVendor, service: ofService! }
  }

  /** Who sent what is asked of charts only whose numbers in PostHog differ from those of the dataset. */
  async #explain(
    { charts, span, sent }: Asked,
    answers: BothAnswers,
    properties: readonly string[],
    { tables, names }: ReadHistory,
  ): Promise<Explained> {
    const { order, history, service, api } = this.#sides
    const chain: ChainOrder = {
      charts,
      span,
      properties,
      vendor: answers.vendor && {
        answers: answers.vendor,
        names,
        zone: order.vendorZone,
        rule: funnelRule(order.vendor?.vendor),
      },
      service: { answers: answers.service, zone: service.zone, parts: new Map(), sentUntil: sent.until },
      hasRecords: history.raw !== undefined,
    }
    const first = await explainCharts(tables, chain)
    const open = charts.filter(({ name }) =>
      first.cells.get(name)?.some(({ parts }) => parts.some(([cause]) => cause === 'service')),
    )
    const ids = history.places.flatMap(({ manifest }) => manifest.import_ids ?? [])
    if (open.length === 0 || ids.length === 0) return first
    const asked = { charts: open, span, importIds: [...new Set(ids)], zone: service.zone }
    const parts = await arrivedCharts(api, service.projectId, asked)
    const again = await explainCharts(tables, {
      ...chain,
      charts: open,
      ...(chain.vendor && { vendor: { ...chain.vendor, zone: first.zone?.zone } }),
      service: { ...chain.service!, parts },
    })
    return { cells: new Map([...first.cells, ...again.cells]), zone: first.zone }
  }

  #said(name: string, answers: BothAnswers) {
    const { vendor, service } = this.#sides
    const sides = [
      { side: vendor?.side.name, answer: answers.vendor?.get(name) },
      { side: service.side.name, answer: answers.service.get(name) },
    ].flatMap(({ side, answer }) => (side !== undefined && answer ? [{ side, answer }] : []))
    return {
      unanswered: sides.flatMap(({ side, answer }) =>
        'unanswered' in answer ? [{ side, why: answer.unanswered }] : [],
      ),
      estimated: sides.some(({ answer }) => 'estimated' in answer && answer.estimated),
      notes: sides.flatMap(({ answer }) => ('notes' in answer ? answer.notes : [])),
    }
  }
}
