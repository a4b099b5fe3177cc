/** Texts of many rows, made in turns: short rows take no time, long ones do. */
import type { GiveWay } from '../../../engine/index.ts'
import type { Values } from './content.ts'

/** Texts from `write` for each row; each text took at most a turn. */
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
