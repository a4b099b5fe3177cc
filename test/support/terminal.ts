/** A terminal for commands that ask: lines are typed each after its question. */
import { PassThrough } from 'node:stream'

export interface TypedTerminal {
  readonly terminal: { readonly input: PassThrough & { readonly isTTY: true }; readonly output: PassThrough }
  /** Everything that was shown so far. */
  shown(): string
}

/** A terminal at which these lines are typed. */
export function typed(...lines: string[]): TypedTerminal {
  const input = Object.assign(new PassThrough(), { isTTY: true as const })
  const output = new PassThrough()
  let shown = ''
  output.on('data', (part: Buffer) => {
    shown += String(part)
    const next = /: $/.test(String(part)) ? lines.shift() : undefined
    if (next !== undefined) setImmediate(() => input.write(`${next}\r`))
  })
  return { terminal: { input, output }, shown: () => shown }
}
