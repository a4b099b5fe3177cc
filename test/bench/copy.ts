/** COPY by a connection of pg, in either direction: what PostgreSQL itself does with a file. */
import type pg from 'pg'

/** What a connection of pg can do beside what its types tell. */
type Wire = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(why: string): void
}

interface Flow {
  readonly begin: (wire: Wire) => void
  readonly take: (chunk: Buffer) => void
}

function copying(client: pg.Client, text: string, { begin, take }: Flow): Promise<void> {
  const nothing = (): void => {}
  return new Promise((done, fail) => {
    const query = {
      submit: (wire: pg.Connection) => wire.query(text),
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleCommandComplete: nothing,
      handleEmptyQuery: nothing,
      handleCopyData: ({ chunk }: { readonly chunk: Buffer }) => take(chunk),
      handleCopyInResponse: begin,
      handleReadyForQuery: () => done(),
      handleError: fail,
    }
    client.query(query)
  })
}

/** Runs a `COPY … TO STDOUT` to its end and gives the bytes that came. */
export async function copyOut(client: pg.Client, text: string): Promise<number> {
  let bytes = 0
  const take = (chunk: Buffer): void => {
    bytes += chunk.length
  }
  await copying(client, text, { begin: () => {}, take })
  return bytes
}

/** Runs a `COPY … FROM STDIN` with pieces of text as they come. */
export async function copyIn(client: pg.Client, text: string, pieces: AsyncIterable<string>): Promise<void> {
  const feed = async (wire: Wire): Promise<void> => {
    try {
      for await (const piece of pieces) wire.sendCopyFromChunk(Buffer.from(piece))
      wire.endCopyFrom()
    } catch (error) {
      wire.sendCopyFail(String(error))
    }
  }
  await copying(client, text, { begin: (wire) => void feed(wire), take: () => {} })
}
