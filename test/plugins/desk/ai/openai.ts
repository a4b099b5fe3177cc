/** A server that speaks as an OpenAI-compatible one does, and answers what a test tells it to. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
}

export interface AiServer {
  readonly url: string
  /** What came, oldest first. */
  readonly asked: Asked[]
  /** What is answered next: the text of the completion, a status, or silence. */
  mood: (asked: Asked) => string | { readonly status: number; readonly text: string } | 'silence'
  close(): Promise<void>
}

/** Listens at a free port of this machine. */
export async function openAiServer(): Promise<AiServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one: Asked = { headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
      opened.asked.push(one)
      const answer = opened.mood(one)
      if (answer === 'silence') return
      const { status, text } =
        typeof answer === 'string'
          ? { status: 200, text: JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] }) }
          : answer
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const opened: AiServer = {
    url: `http://127.0.0.1:${port}/v1`,
    asked: [],
    mood: () => '{}',
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return opened
}
