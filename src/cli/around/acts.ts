import type { ExitCode } from '../../errors.ts'
import { EXIT } from '../../errors.ts'
import type { Io } from '../../io.ts'
import {
  aroundExit,
  type DIFF_ROWS,
  diffAround,
  folderLease,
  openAround,
  type PUSH_ROWS,
  type PullValues,
  pullAround,
  pushAround,
  pushOrder,
  withApi,
} from '../../jobs/index.ts'
import type { Options, Values } from '../../options/index.ts'
import { makeFolder } from '../../store/index.ts'
import { jsonLine } from '../../text/index.ts'
import { diffText, pullText, pushText } from '../text/around.ts'

export async function pull(vendor: string, values: PullValues, io: Io): Promise<ExitCode> {
  const { out, restart, overwrite, json } = values
  const { source, call } = await openAround(vendor, values, io)
  try {
    await makeFolder(out)
    const lease = await folderLease(out, io)
    try {
      const result = await pullAround({ vendor, out, restart, overwrite }, source, call)
      io.telemetry.summary('around pull', { json: result, text: pullText(result) })
      if (json) io.stdout.write(jsonLine(result))
      return EXIT.done
    } finally {
      await lease.release()
    }
  } finally {
    await source.close()
  }
}

export function diff(folder: string, options: Options<Values<typeof DIFF_ROWS>>, io: Io): Promise<ExitCode> {
  const order = pushOrder(folder, options.values)
  return withApi(options, io, async (api) => {
    const result = await diffAround(order, api, io)
    io.stdout.write(options.values.json ? jsonLine(result) : diffText(result))
    return aroundExit(result)
  })
}

export function push(folder: string, options: Options<Values<typeof PUSH_ROWS>>, io: Io): Promise<ExitCode> {
  const order = pushOrder(folder, options.values)
  if (options.values.dryRun) return diff(folder, options, io)
  return withApi(options, io, async (api) => {
    const result = await pushAround(order, api, io)
    io.telemetry.summary('around push', { json: result, text: pushText(result) })
    if (options.values.json) io.stdout.write(jsonLine(result))
    return aroundExit(result)
  })
}
