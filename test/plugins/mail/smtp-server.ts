/** A mail server that keeps what it is sent. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface MailServer {
  readonly port: number
  /** The mails that came whole, as they were sent. */
  readonly received: readonly string[]
  close(): Promise<void>
}

/** Listens at 127.0.0.1; the port is a free one unless it is named. */
export async function startMailServer(port = 0, options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      stream.on('end', () => {
        received.push(text)
        done()
      })
    },
    ...options,
  })
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as AddressInfo).port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
