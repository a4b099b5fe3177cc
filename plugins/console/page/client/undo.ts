/** The way back from a change of one record, which leaves alone what somebody else has changed since. */
import { words } from '../words/words.ts'
import { type Answer, ask, Refusal, recordIn, sentence } from './api.ts'
import type { RecordData } from './catalog.ts'
import { notify } from './notices.ts'

export interface Way {
  readonly path: string
  /** The version that the change left; undefined: others have changed the record, and it is read again. */
  readonly etag: string | undefined
  /** The body that takes it back. */
  readonly before: RecordData
  /** Whether a record still has what the change gave it. */
  readonly isStill: (record: RecordData) => boolean
}

/** Takes a change back; throws a refusal where the record has other values by now. */
export async function takeBack({ before, etag, isStill, path }: Way): Promise<void> {
  const send = (ifMatch: string): Promise<Answer> => ask(path, { method: 'PATCH', body: before, ifMatch })
  try {
    if (etag !== undefined) return void (await send(etag))
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error
  }
  // Another value of the record may have changed, which is no reason to keep this one.
  const now = await ask(path)
  if (now.etag === undefined || !isStill(recordIn(now))) throw new Refusal(412, words().changedSince)
  await send(now.etag)
}

/** Says what was changed, with the way back. */
export function notifyChange(text: string, way: Way, again: () => void): void {
  const run = (): void =>
    void takeBack(way).then(
      () => {
        notify(words().undone)
        again()
      },
      (error) => notify(words().notUndone(sentence(error))),
    )
  notify(text, { label: words().undo, run })
}
