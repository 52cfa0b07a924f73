import { breaking } from '../mutation.ts'

const KEEP = 'test/checks/persons/keep.test.ts'
const DURABLE = 'test/store/durable.test.ts'

/** What is on disk, and when. */
export const KEPT = breaking({
  'kill it anywhere': [
    {
      name: 'a file as long as ours is taken for ours after a failed completion',
      file: 'src/store/s3.ts',
      find: "if (hash.digest('hex') !== sha256) throw error",
      replace: "if (hash.digest('hex') === '') throw error",
      test: { file: 'test/store/s3.slow.test.ts', name: 'whose last answer is lost knows that it is done' },
    },
    {
      name: 'the checkpoint before the rejects that it counts',
      file: 'src/delivery/import-state.ts',
      find: `        await rejects.append(lines)
`,
      replace: `        setImmediate(() => void rejects.append(lines))
`,
      test: { file: DURABLE, name: 'rejects are on disk before the checkpoint that counts them' },
    },
    {
      name: 'rejects that no checkpoint counts stay',
      file: 'src/state/log-file.ts',
      find: 'if (size > digest.bytes) await',
      replace: 'if (size < 0) await',
      test: {
        file: 'test/state/killed.test.ts',
        name: 'torn at each byte after the counted lines',
      },
    },
    {
      name: "another import's rejects are written over",
      file: 'src/state/log-file.ts',
      find: 'if ((await sizeOf(this.path)) !== undefined) throw this.#kind.foreign(this.path)',
      test: {
        file: 'test/state/log-file.test.ts',
        name: 'a new import never writes into a file that is not its own',
      },
    },
    {
      name: 'a damaged checkpoint is believed',
      file: 'src/state/cell-kind.ts',
      find: 'if (checksum !== sumOf(rest))',
      replace: 'if (checksum === undefined)',
      test: {
        file: 'test/state/states.test.ts',
        name: 'a wrong bit is noticed wherever it changes the meaning',
      },
    },
    {
      name: 'the generation before is not kept',
      file: 'src/state/cell.ts',
      find: 'await rename(path, previousOf(path)).catch(',
      replace: 'await Promise.resolve().catch(',
      test: { file: 'test/state/states.test.ts', name: 'it stands in for a damaged one' },
    },
    {
      name: 'a checkpoint is written in its place',
      file: 'src/state/cell.ts',
      find: '}.tmp`',
      replace: '}`',
      test: { file: DURABLE, name: 'a checkpoint is on disk before it takes its name' },
    },
    {
      name: 'a half-written result of a piece',
      file: 'src/state/cell-kind.ts',
      find: 'isWhole: sealed.equals(bytes)',
      replace: 'isWhole: sealed.length > 0',
      test: { file: 'test/state/states.test.ts', name: 'cut or changed at each byte, it is not whole' },
    },
    {
      name: 'results of another transform are used',
      file: 'src/transform/journal.ts',
      find: "this.#write(JOB_FILE, { fingerprint: '', now: job.now })",
      test: {
        file: 'test/transform/journal-job.test.ts',
        name: 'killed anywhere while another job takes the folder',
      },
    },
    {
      name: 'half a page of an export stays',
      file: 'src/sources/kept-pages.ts',
      find: '    await tail.cut()\n',
      test: { file: 'test/sources/kept-pages.test.ts', name: 'drops half a page' },
    },
    {
      name: 'runs are removed before their day is noted',
      file: 'src/transform/task-runner.ts',
      find: "    journal?.finish(pieceName(task), result)\n    if (task.type === 'trial')",
      replace:
        "    if (task.type === 'seal') dropRuns(work, task.segments)\n    journal?.finish(pieceName(task), result)\n    if (task.type === 'trial')",
      test: { file: 'test/transform/task-runner.test.ts', name: 'removed only when its result is noted' },
    },
    {
      name: 'what is only read counts as acknowledged',
      file: 'src/delivery/import-run.ts',
      find: 'begun[lane]?.from ?? latest([resumed, frontier])',
      replace: '(begun[lane] && frontier) ?? latest([resumed, frontier])',
      test: { file: 'test/delivery/import-run.test.ts', name: 'after an interruption, exactly there' },
    },
    {
      name: 'a recycled process id holds a lease',
      file: 'src/store/holder.ts',
      find: "return holder.process_start === started ? 'alive' : 'dead'",
      replace: "return 'alive'",
      test: { file: 'test/state/lease.test.ts', name: 'a recycled process id is not the holder' },
    },
    {
      name: 'a holder that slept goes on',
      file: 'src/delivery/import-state.ts',
      find: '    try {\n      await look()\n',
      replace: '    try {\n',
      test: {
        file: 'test/delivery/import-state.test.ts',
        name: 'a run whose place was taken saves nothing more',
      },
    },
    {
      name: 'work files are trusted',
      file: 'src/transform/work-file.ts',
      find: 'return found === crc',
      replace: 'return true',
      test: {
        file: 'test/transform/journal.test.ts',
        name: 'with a bit that flipped: the piece is done again',
      },
    },
    {
      name: 'a place inside a line is taken',
      file: 'src/delivery/place.ts',
      find: 'if (this.#fault) throw this.#fault',
      test: { file: 'test/delivery/place.test.ts', name: 'any other is refused, and nothing is sent' },
    },
  ],
  'persons of a live project stay as they are': [
    {
      name: 'a snapshot of persons after the first event',
      file: 'src/checks/persons/keep.ts',
      find: 'if (!known && state.begun) {',
      replace: 'if (!known && !state) {',
      test: { file: KEEP, name: 'an import that began without a snapshot says so' },
    },
    {
      name: 'newer live changes are written over',
      file: 'src/checks/persons/corrections.ts',
      find: 'if (!hasWritten(facts, now)) newer.push(name)',
      replace: 'if (facts.last < 0) newer.push(name)',
      test: { file: KEEP, name: 'live events that come during the import are left alone' },
    },
    {
      name: 'persons are put right by events that may be billed',
      file: 'src/checks/persons/keep.ts',
      find: 'const AGE_MS = 49 * MS_PER_HOUR',
      replace: 'const AGE_MS = 1 * MS_PER_HOUR',
      test: { file: KEEP, name: 'afterwards each person is as if all had come in order' },
    },
    {
      name: 'the order of its properties makes another event of a correction',
      file: 'src/checks/persons/keep.ts',
      find: 'return JSON.parse(canonicalJson(JSON.stringify(values))) as PersonWriteValues',
      replace: 'return values',
      test: { file: KEEP, name: 'the same decision makes the same event' },
    },
    {
      name: "a person's number goes through a double",
      file: 'src/checks/persons/live.ts',
      find: "return parseExact(properties === '' ? '{}' : properties)",
      replace: "return JSON.parse(properties === '' ? '{}' : properties)",
      test: { file: KEEP, name: "digits that a double can't hold come back" },
    },
  ],
  'kill it anywhere: on disk': [
    {
      name: 'a checkpoint without fsync',
      file: 'src/state/cell.ts',
      find: '    await file.sync()\n',
      test: { file: DURABLE, name: 'a checkpoint is on disk before it takes its name' },
    },
    {
      name: "a checkpoint's folder without fsync",
      file: 'src/state/cell.ts',
      find: '  await syncFolder(dirname(path))\n',
      test: { file: DURABLE, name: 'a checkpoint is on disk before it takes its name' },
    },
    {
      name: 'rejects without fsync',
      file: 'src/state/log-file.ts',
      find: '      if (this.#synced) await this.#file.datasync()\n',
      test: { file: DURABLE, name: 'rejects are on disk before the checkpoint that counts them' },
    },
    {
      name: 'a file without fsync',
      file: 'src/store/own-file.ts',
      find: '      await file.sync()\n',
      test: { file: DURABLE, name: 'a file is on disk before it takes its name' },
    },
    {
      name: "a file's folder without fsync",
      file: 'src/store/own-file.ts',
      find: '    await syncFolder(dirname(path))\n',
      test: { file: DURABLE, name: 'a file is on disk before it takes its name' },
    },
    {
      name: 'a folder that is opened and not synced',
      file: 'src/store/own-file.ts',
      find: '    await folder.sync()\n',
      test: { file: DURABLE, name: 'so is a part of a store' },
    },
    {
      name: 'a file takes its name before it is on disk',
      file: 'src/store/own-file.ts',
      find: '      await write(file)\n',
      replace: '      await write(file)\n      await publish(temporary, path)\n',
      test: { file: DURABLE, name: 'a file is on disk before it takes its name' },
    },
    {
      name: 'missing events without fsync',
      file: 'src/checks/missing-file.ts',
      find: '    await this.#file.sync()\n',
      test: { file: DURABLE, name: 'so is the file of events that are missing in the service' },
    },
    {
      name: 'the folder of missing events without fsync',
      file: 'src/checks/missing-file.ts',
      find: '      await syncFolder(dirname(path))\n',
      test: { file: DURABLE, name: 'so is the file of events that are missing in the service' },
    },
    {
      name: 'pages of an export without fsync',
      file: 'src/sources/kept-pages.ts',
      find: 'synced: true',
      replace: 'synced: false',
      test: { file: DURABLE, name: 'pages of an export are on disk before the file that counts them' },
    },
  ],
  'no value is bent in silence': [
    {
      name: 'UTF-8 in a file of another encoding is read as single bytes',
      file: 'src/inputs/decode.ts',
      find: 'if (length === 0 || length === 4 || inUtf8) return length',
      replace: 'if (length >= 0) return 0',
      test: {
        file: 'test/inputs/decode.test.ts',
        name: 'rows in UTF-8 in a file that is said to be Windows-1252',
      },
    },
    {
      name: 'an unmended reject runs again as its shown text',
      file: 'src/record/reject.ts',
      find: 'if (kept?.toString() === record) return kept',
      replace: 'if (kept === undefined) return undefined',
      test: { file: 'test/inputs/decode.test.ts', name: 'a reject that keeps its bytes' },
    },
    {
      name: 'NaN in a text becomes null',
      file: 'src/inputs/record-sink.ts',
      find: 'if (line[at] === QUOTE) at = stringEnd(line, at)',
      replace: 'if (line[at] === QUOTE) continue',
      test: { file: 'test/inputs/record-sink.test.ts', name: 'numbers that JSON does not have are null' },
    },
  ],
  'what is shown is true': [
    {
      name: 'a search of the studio looks at one page of names',
      file: 'src/studio/table-pages.ts',
      find: 'const fitting = events.filter(',
      replace: 'const fitting = events.slice(0, 200).filter(',
      test: {
        file: 'test/studio/model/studio-model.test.ts',
        name: 'a search finds what is far behind the first rows',
      },
    },
  ],
})
