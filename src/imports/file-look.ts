import { GroupsSeen } from '../checks/groups-seen.ts'
import { type EventFiles, readEvents, rejectText } from '../checks/read-events.ts'
import { UuidsSeen } from '../checks/uuids-seen.ts'
import type { GuardFacts } from '../guards/guard.ts'
import type { Retention } from '../service/retention.ts'
import { HiddenOfFiles } from './hidden-events.ts'

/** What files of events hold, known before the first of them is sent. */
export interface FilesSeen {
  readonly facts: Pick<GuardFacts, 'lines' | 'uuids' | 'hidden'>
  readonly groups: GroupsSeen
}

/** Reads files of events once, as an import of them does. `retention`: that of the project. Throws `interrupted`. */
export async function lookAtFiles(files: EventFiles, retention?: Retention): Promise<FilesSeen> {
  const hidden = retention && new HiddenOfFiles(retention)
  const [groups, uuids] = [new GroupsSeen(), new UuidsSeen()]
  const { counts, rejects, reject } = await readEvents(files, (line, head, _, place) => {
    groups.look(line, head)
    uuids.look(line, head, place)
    hidden?.look(line, head)
  })
  const lines = { sent: counts.written, rejects, example: reject && rejectText(reject) }
  return { facts: { ...hidden?.facts, lines, uuids: { kind: 'file', ...uuids.total } }, groups }
}
