/** What becomes of the rows of a batch while they arrive, and rows as bytes that leave no garbage behind. */

/** What becomes of the rows of one batch. */
export interface Collector<T> {
  /** Forgets what was added: the batch begins anew. */
  reset(): void
  add(row: (string | null)[]): void
  done(): T
}

/** Characters of one piece of text. */
const PIECE = 65_536
/** Bytes of the texts of a large batch. */
const ROOM = 4_194_304
/** Rows whose texts are worth that room. */
const LARGE = 1_000

/**
 * Collectors of what `write` makes of each row, in UTF-8. Large batches take turns in two rooms, one that fills while the
 * other is taken from: as buffers of their own they would outlive the garbage collector's first looks, and each export
 * would set off full collections.
 */
export function textCollectors(
  write: (row: (string | null)[]) => string,
): (size: number) => Collector<Iterable<Buffer>> {
  const rooms: Buffer[] = []
  let turn = 0
  return (size) => {
    if (size < LARGE) return collectorOf(write)
    turn = 1 - turn
    rooms[turn] ??= Buffer.allocUnsafeSlow(ROOM)
    return collectorOf(write, rooms[turn])
  }
}

function collectorOf(write: (row: (string | null)[]) => string, room?: Buffer): Collector<Iterable<Buffer>> {
  let text = ''
  let filled = 0
  let rest: Buffer[] = []
  const put = (): void => {
    // A character is at most three bytes of UTF-8.
    const fits = room !== undefined && rest.length === 0 && filled + 3 * text.length <= room.length
    if (fits) filled += room.write(text, filled)
    else rest.push(Buffer.from(text))
    text = ''
  }
  return {
    reset: () => {
      ;[text, filled, rest] = ['', 0, []]
    },
    add: (row) => {
      text += write(row)
      if (text.length >= PIECE) put()
    },
    done: () => {
      if (text !== '') put()
      return pieces(room?.subarray(0, filled), rest)
    },
  }
}

/** Copies of the room's content, because whoever sends a piece keeps it for longer than the room does. */
function* pieces(room: Buffer | undefined, rest: readonly Buffer[]): Generator<Buffer, void> {
  for (let at = 0; at < (room?.length ?? 0); at += PIECE) yield Buffer.from(room!.subarray(at, at + PIECE))
  yield* rest
}
