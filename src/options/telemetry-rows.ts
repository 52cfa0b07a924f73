import { row } from './row.ts'
import { webhookAddress } from './values.ts'

// What a run tells of itself while nobody watches.

export const LOG_FORMAT = row({
  flag: '--log-format <name>',
  shown: 'common',
  env: 'POSTHAUL_LOG_FORMAT',
  config: 'logFormat',
  choices: ['text', 'json'],
  otherwise: 'for a person',
  help: 'every line of stderr with its time and level, or as a JSON object',
})

export const METRICS_FILE = row({
  flag: '--metrics-file <file>',
  shown: 'common',
  env: 'POSTHAUL_METRICS_FILE',
  config: 'metricsFile',
  parse(text) {
    if (text.endsWith('.prom')) return text
    throw new RangeError('expected a name that ends in .prom: node_exporter reads no other')
  },
  help: 'replace this file each 15 s with metrics for Prometheus (textfile collector of node_exporter)',
})

export const QUIET = row({
  flag: '--quiet',
  shown: 'common',
  short: '-q',
  help: 'only warnings, errors and the result',
})

export const NOTIFY_WEBHOOK = row({
  flag: '--notify-webhook <url>',
  shown: 'common',
  env: 'POSTHAUL_NOTIFY_WEBHOOK',
  config: 'notifyWebhook',
  parse: webhookAddress,
  help: 'post JSON to an address, such as that of a chat, at start, pause and end',
})

export const VERBOSE = row({
  flag: '--verbose',
  shown: 'common',
  short: '-v',
  help: 'also each batch that is settled, and each wait with its cause',
})

export const DEBUG = row({
  flag: '--debug',
  shown: 'common',
  help: 'also each request: never a body, a key or a query',
})
