import { GroupsSeen } from '../checks/groups-seen.ts'
import { type EventFiles, readEvents, rejectText } from '../checks/read-events.ts'
import { UuidsSeen } from '../checks/uuids-seen.ts'
import type { GuardFacts } from '../guards/guard.ts'
import { type Losses, LossesOfFiles } from './losses.ts'

/** What files of events hold, known before the first of them is sent. */
export interface FilesSeen {
  readonly facts: Pick<GuardFacts, 'lines' | 'uuids' | 'hidden' | 'ruled'>
  readonly groups: GroupsSeen
}

/** Reads files of events once, as an import of them does. `losses`: those of the project. Throws `interrupted`. */
export async function lookAtFiles(files: EventFiles, losses: Losses = {}): Promise<FilesSeen> {
  const lost = new LossesOfFiles(losses)
  const [groups, uuids] = [new GroupsSeen(), new UuidsSeen()]
  const { counts, rejects, reject } = await readEvents(files, (line, head, _, place) => {
    groups.look(line, head)
    uuids.look(line, head, place)
    lost.look(line, head)
  })
  const lines = { sent: counts.written, rejects, example: reject && rejectText(reject) }
  return { facts: { ...lost.facts, lines, uuids: { kind: 'file', ...uuids.total } }, groups }
}
