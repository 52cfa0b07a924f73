/** Pages of help that are no command's, by the word after `help`. Each is imported only when it is asked for. */
export const TOPICS: Readonly<Record<string, { summary: string; load: () => Promise<() => string> }>> = {
  common: {
    summary: 'options of many commands: logs, metrics, notices, S3',
    load: async () => (await import('./pages.ts')).commonTopic,
  },
  environment: {
    summary: 'every environment variable that posthaul reads',
    load: async () => (await import('./pages.ts')).environmentTopic,
  },
  'exit-codes': {
    summary: 'what a script can tell by the exit code',
    load: async () => (await import('./pages.ts')).exitCodesTopic,
  },
  mapping: {
    summary: 'what a mapping file can say',
    load: async () => (await import('./mapping-topic.ts')).mappingTopic,
  },
}
