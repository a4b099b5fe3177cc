/** Passwords at a terminal ⇄: typed twice and never shown, or one line of standard input. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** The terminal of a person. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** Questions go to standard error, so that standard output can be piped. */
export const TERMINAL: Terminal = { input: process.stdin, output: process.stderr }

/** Above any password; a file that was piped by mistake is not read to its end. */
const LONGEST_LINE = 4_096

/** The typed text, empty for none; undefined when the two times differ. */
export async function askTwice(question: string, terminal: Terminal): Promise<string | undefined> {
  const first = await ask(question, terminal)
  return first === '' || (await ask('Once more: ', terminal)) === first ? first : undefined
}

/** A line typed at a terminal without being shown. */
function ask(question: string, { input, output }: Terminal): Promise<string> {
  output.write(question)
  const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: true })
  return new Promise<string>((resolve, reject) => {
    reader.once('close', () => reject(new Error('Nothing was changed.')))
    reader.once('SIGINT', () => reader.close())
    reader.question('', resolve)
  }).finally(() => {
    reader.close()
    output.write('\n')
  })
}

/** The first line of piped input, without its end; empty without input. */
export async function readLine({ input }: Pick<Terminal, 'input'>): Promise<string> {
  let text = ''
  for await (const part of input) {
    text += String(part)
    if (text.includes('\n') || text.length > LONGEST_LINE) break
  }
  return text.split(/\r?\n/)[0] ?? ''
}
