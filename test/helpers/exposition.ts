/** A metric as a strict reader of Prometheus' text format 0.0.4 finds it. */
interface ReadMetric {
  readonly type: string
  readonly help: string
  /** Values by their labels, which are sorted: `fate="written",stage="import"`. */
  readonly series: Readonly<Record<string, number>>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const PAIR = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"`
const VALUE = String.raw`([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)`
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${PAIR}(?:,${PAIR})*)\\})? ${VALUE}$`)

/**
 * Reads a whole file and throws for what node_exporter's textfile collector would refuse or misread: a torn last line, a
 * metric whose lines are apart or explained twice, a series that is there twice, a time, a label that is not escaped.
 */
export function readExposition(text: string): Map<string, ReadMetric> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const found = new Map<string, { type: string; help: string; series: Record<string, number> }>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? []
    if (word === 'HELP') {
      if (found.has(name)) throw new Error(`${name} is explained twice`)
      found.set(name, { type: '', help: rest, series: {} })
      current = name
      continue
    }
    const metric = found.get(current)
    if (!metric) throw new Error(`no HELP before: ${line}`)
    if (word === 'TYPE') {
      if (name !== current || metric.type !== '') throw new Error(`not the type of ${current}: ${line}`)
      metric.type = typeOf(name, rest)
      continue
    }
    const sample = SAMPLE.exec(line)
    if (!sample || metric.type === '') throw new Error(`no sample: ${line}`)
    if (sample[1] !== current) throw new Error(`${sample[1]} is among the lines of ${current}`)
    const key = sortedLabels(sample[2] ?? '', line)
    if (key in metric.series) throw new Error(`a series twice: ${line}`)
    metric.series[key] = Number(sample.at(-1))
  }
  return found
}

function typeOf(name: string, type: string): string {
  if (type !== 'counter' && type !== 'gauge') throw new Error(`no type: ${type}`)
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is named like no ${type}`)
  return type
}

function sortedLabels(text: string, line: string): string {
  const labels = [...text.matchAll(new RegExp(PAIR, 'g'))]
  if (new Set(labels.map(([, label]) => label)).size < labels.length)
    throw new Error(`a label twice: ${line}`)
  return labels
    .map(([pair]) => pair)
    .toSorted()
    .join(',')
}

/** The values of a metric by its labels, without the one that names the run; empty if it is not there. */
export function seriesOf(text: string, name: string): Record<string, number> {
  const { series = {} } = readExposition(text).get(name) ?? {}
  return Object.fromEntries(
    Object.entries(series).map(([labels, value]) => [
      labels.replace(/run="[^"]*",|,?run="[^"]*"/, ''),
      value,
    ]),
  )
}
