// mixpanel-import's own transform of an Amplitude export, written to disk and not sent.
const [from, to] = process.argv.slice(2) as [string, string]
// Installed by the bench only, so its types are not here.
const name: string = 'mixpanel-import'
const { default: transform } = (await import(name)) as {
  default: (credentials: object, input: string, options: object) => Promise<{ total: number }>
}
const quiet = { verbose: false, showProgress: false, logs: false, abridged: true }
const result = await transform({ token: 'bench' }, from, {
  ...quiet,
  vendor: 'amplitude',
  recordType: 'event',
  streamFormat: 'jsonl',
  writeToFile: true,
  outputFilePath: to,
})
console.log(JSON.stringify({ total: result.total }))
