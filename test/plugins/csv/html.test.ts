/** HTML in files: text as it reads, whatever stands in it, in no more time than its length asks for. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlToText, isHtml } from '../../../plugins/csv/html.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('HTML in files')

let desk: Desk

csv.before(async () => {
  desk = await openDesk()
})

csv.after(() => desk.close())

csv('paragraphs, lists, links and entities read as they look', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['<p>Hello,</p><p>the printer <b>smokes</b>.</p>', 'Hello,\n\nthe printer smokes.'],
    ['<div>One</div>\n<div>Two<br>Three</div>', 'One\nTwo\nThree'],
    ['<p>a</p>\r\n\r\n   <p>&nbsp;</p><p>b</p>', 'a\n\nb'],
    ['<ul><li>one</li><li><p>two</p></li></ul>end', '- one\n\n- two\n\nend'],
    [
      'See <a href="https://desk.example/a?b=1&amp;c=2">the page</a>.',
      'See the page (https://desk.example/a?b=1&c=2).',
    ],
    ['<a href="https://desk.example/">https://desk.example</a>', 'https://desk.example'],
    ['<a href="mailto:a@b.example">write</a> <a href="javascript:alert(1)">no</a>', 'write (a@b.example) no'],
    [
      '5 &lt; 6 &amp;amp; St&ouml;rung &#8211; &#x20ac; &#150; &unknown; &#0;<br>',
      '5 < 6 &amp; Störung – € – &unknown; \ufffd',
    ],
    ['<style>p { color: red }</style><script>alert("<p>")</script><p>x</p>', 'x'],
    ['<html><head><title>t</title></head><body>x<!-- <p>not</p> --></body></html>', 'x'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    [
      '<p>From <ann@desk.example>: 1 < 2, <o:p></o:p>see <https://x.example></p>',
      'From <ann@desk.example>: 1 < 2, see <https://x.example>',
    ],
    ['<img src="x" alt="a plan"><p>open', 'a plan\n\nopen'],
    ['<p title="a > b">x <a href="https://a.example/?x>y">z</a></p>', 'x z (https://a.example/?x>y)'],
    ['<div>Use List<string> here</div>', 'Use List<string> here'],
    ['Hello,<br>the printer smokes.<br/>Ann', 'Hello,\nthe printer smokes.\nAnn'],
  ]
  for (const [html, text] of cases) {
    assert.ok(isHtml(html), html)
    assert.is(htmlToText(html), text, html)
  }
})

csv('a text with angle brackets is no HTML', () => {
  for (const text of [
    'Use the <b> tag to make it bold',
    'I typed <br> and the page broke',
    'The <title> is missing, and <script> is blocked',
    'Write <b>bold</b> for bold words',
    'In <head> stands <title>x</title> of it',
    '<p> begins a paragraph',
    'use <br>, then <hr>',
    '<img> needs an alt',
    'The style of <h1> is in <style>h1 { }</style>, I think',
    'a < b > c',
    'if (a<b) {}',
    'Ann <ann@desk.example>',
    '<unknown>',
    '&lt;p&gt;',
    'List<string>',
  ])
    assert.not.ok(isHtml(text), text)
})

csv('of a text that is taken for HTML no word is lost but those of tags', () => {
  const word = fc.constantFrom(
    'alpha',
    'beta',
    'a < b',
    '<ann@desk.example>',
    'List<string>',
    '5 > 4',
    'x&y',
    '<https://x.example/a>',
  )
  const inline = fc.constantFrom('b', 'i', 'span', 'strong')
  const piece = fc.oneof(
    word,
    fc.tuple(inline, word).map(([tag, text]) => `<${tag} title="a > b">${text}</${tag}>`),
  )
  const block = fc.tuple(
    fc.constantFrom('p', 'div', 'li', 'td', 'h1', 'blockquote'),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (blocks) => {
      const html = blocks.map(([tag, pieces]) => `<${tag}>${pieces.join(' ')}</${tag}>`).join('\n')
      const wanted = html.replace(/<\/?(?:b|i|span|strong|p|div|li|td|h1|blockquote)(?: title="a > b")?>/g, ' ')
      const bare = (text: string): string => text.replace(/^ *- /gm, '').replace(/\s+/g, '')
      assert.ok(isHtml(html), html)
      assert.is(bare(htmlToText(html)), bare(wanted), html)
    }),
    { numRuns: 500 },
  )
})

/** Processor time in milliseconds, the least of several times. */
function timeOf(html: string): number {
  const times = [1, 2, 3].map(() => {
    const { user } = process.cpuUsage()
    if (isHtml(html)) htmlToText(html)
    return (process.cpuUsage().user - user) / 1_000
  })
  return Math.min(...times)
}

csv('a text of four times the length takes about four times as long, however it is made', () => {
  const length = 50_000
  for (const piece of [
    '<',
    '<p',
    '<p>',
    '<!--',
    '<style>',
    '<head>',
    '<a href="',
    "<a href='x",
    '&amp',
    '&#',
    '<p> \n',
    '<li>',
    ' ',
  ])
    for (const head of ['', '<p>']) {
      const of = (size: number) => timeOf(`${head}${piece.repeat(size / piece.length)}`)
      const [short, long] = [of(length), of(4 * length)]
      // What takes next to nothing says nothing of how it grows.
      assert.ok(long < 100 || long < 9 * short, `${JSON.stringify(piece)} took ${short} ms, then ${long} ms`)
    }
})

csv('details in HTML become text, and a text with tags of its own comes back as it was', async () => {
  const send = (text: string) =>
    sendParts(desk, 'POST', '/tickets/import', desk.admin, [{ name: 'file', value: text, file: 'tickets.csv' }])
  const detailsOf = async (answer: Awaited<ReturnType<typeof send>>) =>
    (await desk.get(`/tickets/${answer.at('data.ids.0')}`, desk.admin)).at('data.details')
  const imported = await send('Subject,Details\n<b>Subjects</b> stay,"<p>Hello</p><p>it ""smokes""</p>"\n')
  assert.is(await detailsOf(imported), 'Hello\n\nit "smokes"')
  await desk.post('/tickets', desk.admin, { subject: 'Own tags', details: '<p>typed so</p>' })
  const exported = (await desk.get('/tickets/export?search=Own', desk.admin)).text
  assert.match(exported, /,'<p>typed so<\/p>,/)
  const uid = /\n(\d{10}),/.exec(exported)?.[1]
  assert.is(await detailsOf(await send(exported.replace(`${uid},`, ','))), '<p>typed so</p>')
})

csv.run()
