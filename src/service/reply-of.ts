import { type Answer, NetworkError, type Reply } from '../http/index.ts'

/** The answer to a request as a reply; that of the network, where it fails. Any other error is thrown. */
export async function replyOf(request: Promise<Answer>): Promise<Reply> {
  try {
    const answer = await request
    const { status, headers, bytes, truncated } = answer
    return {
      status,
      headers,
      // The text is made only when it is read: mostly the bytes tell enough.
      get body() {
        // The mark keeps the beginning of a long answer from being taken for a whole one: it is no JSON any more.
        return truncated ? `${answer.body}…` : answer.body
      },
      ...(!truncated && { bytes }),
    }
  } catch (error) {
    if (error instanceof NetworkError) return { network: error.kind, message: error.message }
    throw error
  }
}
