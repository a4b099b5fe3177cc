/** What a plugin's command prints, for tests. */

/** Runs `work` and keeps what it writes to standard output and standard error. */
export async function printed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly text: string }> {
  const streams = [process.stdout, process.stderr]
  const writes = streams.map(({ write }) => write)
  let text = ''
  for (const stream of streams)
    stream.write = (part: string | Uint8Array): boolean => {
      text += String(part)
      return true
    }
  try {
    const result = await work()
    return { result, text }
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index]!
  }
}
