/** The texts of many rows, made in turns: a row of short words is nothing, and one of long texts is not. */
import type { GiveWay } from '../../../engine/index.ts'
import type { Values } from './content.ts'

/** What `write` makes of each row, in texts that each took at most a turn. */
export async function* textsInTurns(
  rows: readonly Values[],
  giveWay: GiveWay,
  write: (values: Values, at: number) => string,
): AsyncGenerator<string, void> {
  let text = ''
  for (const [at, values] of rows.entries()) {
    text += write(values, at)
    const rest = giveWay()
    if (rest === undefined) continue
    yield text
    text = ''
    await rest
  }
  yield text
}
