import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Action, type Answer, bytesOf, type Moment } from './action.ts'

/** How often something slow moves. */
export const TICK_MS = 10

/** Writes an answer, as far as the action lets it come. False if the connection serves no other request. */
export async function give(socket: Socket, answer: Answer, action: Action): Promise<boolean> {
  if (answer.raw) {
    for (const piece of answer.raw()) if (!(await put(socket, piece, action.writeSlowly))) return false
    return true
  }
  const { head, payload } = bytesOf(answer)
  return (
    (await putEnding(socket, head, action, 'inHead')) &&
    (await putEnding(socket, payload, action, 'inAnswer'))
  )
}

/** Ends the connection if the action says so for this moment. */
export function endsAt(socket: Socket, action: Action, moment: Moment): boolean {
  for (const how of ['reset', 'close', 'hang'] as const) {
    if (action[how] !== moment) continue
    end(socket, how)
    return true
  }
  return false
}

export function end(socket: Socket, how: 'reset' | 'close' | 'hang'): void {
  if (how === 'reset') socket.resetAndDestroy()
  else if (how === 'close') socket.end()
}

/** Writes the bytes, or half of them if the connection ends in them. */
async function putEnding(socket: Socket, bytes: Buffer, action: Action, moment: Moment): Promise<boolean> {
  const ends = [action.reset, action.close, action.hang].includes(moment)
  const whole = await put(socket, ends ? bytes.subarray(0, bytes.length >>> 1) : bytes, action.writeSlowly)
  return whole && !endsAt(socket, action, moment)
}

/** Resolves when the bytes are on their way; to false if the client is gone. */
async function put(socket: Socket, text: string | Uint8Array, perTick?: number): Promise<boolean> {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  const step = perTick ?? bytes.length
  for (let at = 0; at < bytes.length; at += step) {
    // Before a piece: who has the last one may go at once.
    if (perTick !== undefined) await sleep(TICK_MS)
    const piece = bytes.subarray(at, at + step)
    const gone = await new Promise<boolean>((resolve) => {
      socket.write(piece, (error) => resolve(error != null))
    })
    if (gone) return false
  }
  return !socket.destroyed
}
