import { row } from './row.ts'

// What is read and written: files, datasets and their stores.

export const FILE = row({
  flag: '--file <file...>',
  bare: true,
  help: "files of the service's own events, or of rejects; plain or .gz; folders and globs too",
})

export const DATASET = row({
  flag: '--dataset <store>',
  bare: true,
  help: 'a dataset that transform wrote: a folder or s3://bucket/prefix',
})

export const IN = row({
  flag: '--in <path...>',
  bare: true,
  help: 'files, folders, globs, s3://…: NDJSON, JSON, CSV, TSV, Parquet, Avro; plain, .gz, .br, zip',
})

export const OUT = row({
  flag: '--out <store>',
  help: 'where the dataset is written: a folder or s3://bucket/prefix',
})

export const WORK_DIR = row({
  flag: '--work-dir <folder>',
  shown: 'seldom',
  otherwise: '~/.local/state/posthaul/work',
  help: 'where work files are kept, for --out s3://…, until the dataset is whole',
})

export const GZIP_OUTPUT = row({ flag: '--gzip', help: 'compress the parts: .ndjson.gz' })
