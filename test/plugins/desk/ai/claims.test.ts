/** What a suggested reply may not say: that somebody did something, does it or will do it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { claims, withoutClaims } from '../../../../plugins/desk/ai/claims.ts'

const test = suite('ai: claims and promises')

const CLAIMS = `
A second parcel goes out today.
I have refunded the amount.
I've refunded you.
I’ve already sent you a new one.
We will call you.
We'll call you back this afternoon.
We are looking into it.
We are going to replace the unit.
We refunded the second charge.
We refund the money within five days.
We can refund the second charge.
I just reset your password.
I am forwarding this to our warehouse.
Our team will contact you tomorrow.
The team has found the cause.
A technician visits you on Monday.
Someone from support will be in touch.
My colleague is checking the invoice.
Your order has been cancelled.
Your refund was issued yesterday.
Your account is now unlocked.
The replacement will be shipped on Friday.
The parcel will arrive within three days.
You will receive a refund.
You'll hear from us.
You will be contacted by phone.
A new one is on its way.
Your money is being transferred.
Refund issued.
Done!
Sent you a new link.
Will call you tomorrow.
Have refunded you.
Rest assured, this is taken care of.
This is guaranteed.
We promise it works.
Let me check that for you.
Expect a call from us.
Your parcel comes tomorrow.
You can relax because I will handle it.
Ich habe Ihnen den Betrag erstattet.
Wir haben die Bestellung storniert.
Wir rufen Sie an.
Morgen rufen wir Sie zurück.
Wir kümmern uns darum.
Wir werden das Gerät ersetzen.
Wir melden uns bei Ihnen.
Ich prüfe das.
Ihr Konto wurde freigeschaltet.
Der Betrag wird überwiesen.
Die Rechnung ist bereits korrigiert worden.
Ein Kollege meldet sich bei Ihnen.
Unser Team hat den Fehler behoben.
Der Techniker kommt am Montag.
Sie erhalten eine neue Lieferung.
Sie hören von uns.
Ein zweites Paket geht heute raus.
Das Paket ist unterwegs.
Das Ersatzgerät kommt morgen.
Erledigt!
Versprochen.
Habe Ihnen das Geld überwiesen.
`

const HARMLESS = `
Please hold the reset button for ten seconds.
Reset the device and check the cable.
Open the settings and choose a new password.
How do I reset my password?
Can I change my address?
Which browser do you use?
What did you expect, and what happened instead?
Refunds take five working days.
The amount depends on the date of the order.
Returns are possible within 14 days.
If your order was cancelled, open the page of orders.
You can cancel the order on its page.
The page will reload by itself.
The light turns green when the motor is ready.
Thank you for contacting us.
We need the serial number.
We are sorry for the trouble.
We recommend a cable of category six.
Our help pages say more.
The new password needs twelve characters.
Send us a photo of the label.
Ask for a corrected invoice.
Bitte halten Sie die Taste zehn Sekunden gedrückt.
Öffnen Sie die Einstellungen und wählen Sie ein neues Passwort.
Wie kann ich mein Passwort ändern?
Welchen Browser verwenden Sie?
Rückgaben sind innerhalb von 14 Tagen möglich.
Wir benötigen die Seriennummer.
Wir bitten um ein Foto.
Wenn die Bestellung storniert wurde, öffnen Sie die Übersicht.
Die Bestellung kann auf ihrer Seite storniert werden.
Vielen Dank für Ihre Nachricht.
`

const lines = (text: string): readonly string[] => text.trim().split('\n')

test('a deed or a promise of the company is known, in English and German', () => {
  assert.equal(
    lines(CLAIMS).filter((line) => !claims(line)),
    [],
  )
})

test('instructions, questions, rules and thanks are none', () => {
  assert.equal(
    lines(HARMLESS).filter((line) => claims(line)),
    [],
  )
})

test('only the sentences that claim or promise are taken out of a text', () => {
  assert.is(
    withoutClaims(
      'Hold the button. We have refunded you.\nThen press it again! I will call you; the light turns green.',
    ),
    'Hold the button.\nThen press it again! the light turns green.',
  )
})

test('a text of any form is judged without effort', () => {
  for (const part of ['we ', 'will ', 'a.', ', if ', 'you ', "i'", '?!', '\n'])
    assert.type(withoutClaims(part.repeat(20_000)), 'string')
})

test.run()
