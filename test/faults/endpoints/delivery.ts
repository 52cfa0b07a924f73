import { checkIngest } from '../../../src/checks/preflight/ingest.ts'
import { systemTools } from '../../../src/checks/preflight/subject.ts'
import { judge, judgeEvent, judgeV1 } from '../../../src/delivery/verdict.ts'
import { Secret } from '../../../src/http/secret.ts'
import { Transport } from '../../../src/http/transport.ts'
import { keyIsKnown } from '../../../src/imports/import-guards.ts'
import { BatchEndpoint, CaptureV1Endpoint } from '../../../src/service/send-events.ts'
import { Webhook } from '../../../src/telemetry/webhook.ts'
import { patience } from '../../helpers/patience.ts'
import { OK, says } from '../kit/action.ts'
import {
  type Asking,
  type Endpoint,
  json,
  OTHER_UUID,
  PROJECT_KEY,
  STATUS_ALONE,
  UUID,
  Verdict,
} from './endpoint.ts'

async function withTransport<T>({ origin }: Asking, ask: (transport: Transport) => Promise<T>): Promise<T> {
  const transport = new Transport({ origin, secrets: [PROJECT_KEY] })
  try {
    return await ask(transport)
  } finally {
    await transport.close()
  }
}

const BODY = Buffer.from('{}')
const NEVER = new AbortController().signal
const V1_OK = { results: { [UUID]: { result: 'ok' } } }

/** What an import sends, and what it asks where it sends. */
export const DELIVERY: readonly Endpoint[] = [
  {
    name: 'a batch',
    struck: /^POST \/batch\/$/,
    proof: 'word',
    client: 'delivery',
    right: () => OK,
    ask: (asking) =>
      withTransport(asking, async (transport) => {
        const endpoint = new BatchEndpoint(transport, PROJECT_KEY)
        const { kind } = judge(await endpoint.send(await endpoint.pack(BODY), NEVER), Date.now())
        return kind === 'accepted' ? kind : new Verdict(kind)
      }),
  },
  {
    name: 'Capture V1',
    struck: /^POST \/i\/v1\/analytics\/events$/,
    proof: 'word',
    client: 'delivery',
    right: () => json(V1_OK),
    other: json({ results: { [OTHER_UUID]: { result: 'ok' } } }),
    ask: (asking) =>
      withTransport(asking, async (transport) => {
        const endpoint = new CaptureV1Endpoint(transport, PROJECT_KEY, asking.clock)
        const packed = await endpoint.pack(BODY)
        const reply = await endpoint.send(packed, { id: UUID, attempt: 1 }, NEVER)
        const verdict = judgeV1(reply, Date.now())
        if (verdict.kind !== 'told') return new Verdict(verdict.kind)
        const { fate } = judgeEvent(verdict.results[UUID])
        return fate === 'taken' ? fate : new Verdict(fate)
      }),
  },
  {
    name: 'whether a key is known',
    struck: /^POST \/flags\/\?v=2$/,
    proof: 'word',
    client: 'teller',
    // Of the status alone, and of JSON that is an object.
    believes: /object|rows?|shape|error|deep|names twice|for (?:numbers|values|arrays)|another|^40[14]/,
    right: () => json({ flags: {}, errorsWhileComputingFlags: false }),
    ask: (asking) =>
      withTransport(asking, async (transport) => {
        const notes: string[] = []
        const drain = { over: NEVER, begin: () => undefined } as never
        await keyIsKnown({ transport, projectKey: PROJECT_KEY }, { drain }, (note) => void notes.push(note))
        return notes.length === 0 ? 'known' : new Verdict('goes on with a note')
      }),
  },
  {
    name: 'doctor: /batch/',
    struck: /^POST \/batch\/$/,
    proof: 'word',
    client: 'teller',
    // Its words are a person's, whatever comes after them.
    believes: /^400$|^10 GB$|^(?!\d|.*page)/,
    right: () => says(400, 'request holds no event'),
    ask: async ({ origin, signal, clock }) => {
      const io = { env: {}, stdin: process.stdin, interrupted: signal }
      const tools = { ...systemTools(io), clock, patienceMs: patience(500) }
      const found = await checkIngest(origin, PROJECT_KEY, 'batch', tools)
      const wrong = found.filter(({ text, level }) => level !== 'ok' && !text.includes('clock'))
      return wrong.length === 0 ? 'ready' : new Verdict(`found: ${wrong[0]!.level}`)
    },
  },
  {
    name: 'a ping',
    struck: /^POST \/ping$/,
    proof: 'word',
    client: 'teller',
    // Of the status alone: monitors answer as they like.
    believes: STATUS_ALONE,
    right: () => says(200, 'OK'),
    ask: async ({ origin }) => {
      const warned: string[] = []
      const address = new Secret(`${origin}/ping`, 'a test')
      const run = { command: 'import', host: 'a test', startedAt: new Date() }
      await new Webhook(address, run, (text) => void warned.push(text)).end({ event: 'start' })
      return warned.length === 0 ? 'told' : new Verdict('goes on with a note')
    },
  },
]
