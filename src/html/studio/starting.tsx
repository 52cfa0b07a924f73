import { Notice } from '../kit/notice.tsx'
import { Refused } from './api.ts'

/** The page before there is anything to show. */
export function Starting({ failure, retry }: { failure: Error | undefined; retry: () => void }) {
  return (
    <main class="starting">
      <h1>posthaul studio</h1>
      {failure === undefined ? (
        <p role="status">Reading the sample …</p>
      ) : (
        <Notice level="error" title={failure.message}>
          <p>
            {failure instanceof Refused
              ? (failure.hint ?? 'The terminal that posthaul studio runs in may say more.')
              : 'Is posthaul studio still running in its terminal? If not, start it again and open the address that it prints.'}
          </p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </Notice>
      )}
    </main>
  )
}
