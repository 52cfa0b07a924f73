import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { isS3 } from '../../store/s3-location.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import type { CommandModule } from '../command.ts'
import { assertTogether, notStarted, placesFrom, STATUS_ROWS, type StatusValues } from './order.ts'
import { printRejects, tellDamaged } from './print-rejects.ts'
import { type Look, StatusLook } from './status-look.ts'
import { statusText } from './text.ts'
import { watchStatus } from './watch.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument(
    '[checkpoint...]',
    'inputs or their checkpoints (default: every *.checkpoint.json in this folder)',
  )
  useOptions(command, STATUS_ROWS, io.env, async ({ values }, named) => exit(await status(named, values, io)))
}

async function status(named: readonly string[], values: StatusValues, io: Io): Promise<ExitCode> {
  const places = await placesFrom(named, values, io.env)
  assertTogether(values, places.length)
  if (values.rejects) {
    await printRejects(places[0]!, values, io)
    return EXIT.done
  }
  const looks = places.map((place) => new StatusLook(place))
  const look = () => Promise.all(looks.map((one) => lookAt(one, values, io)))
  if (values.watch) {
    const isRemote = places.some(({ location, ledger }) => isS3(location) || isS3(ledger))
    return watchStatus({ look, isRemote, json: values.json }, io)
  }
  for (const seen of await look()) {
    const text = () => paintedFor(statusText(seen.result, seen.said), io.stdout, io.env)
    io.stdout.write(values.json ? jsonLine(seen.result) : text())
  }
  return EXIT.done
}

async function lookAt(one: StatusLook, values: StatusValues, io: Io): Promise<Look> {
  const seen = (await one.look()) ?? (await notStarted(one.path, values))
  if (seen.fellBack) tellDamaged(seen.result.checkpoint, io)
  return seen
}
