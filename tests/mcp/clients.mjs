// clients.mjs - the clients of npm, old and new, against `rastrum mcp`: what each lists and calls.
import assert from 'node:assert/strict';
import * as modern from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';

const [rastrum, golden] = process.argv.slice(2);
const start = { command: rastrum, args: ['mcp', '--root', golden], stderr: 'inherit' };
const about = { name: 'rastrum-tests', version: '1' };
let passed = 0, failed = 0;

async function check(name, work) {
    try {
        await work();
        passed++;
    } catch (wrong) {
        failed++;
        console.log(`${name}: ${wrong.message}`);
    }
}

async function talk(name, client) {
    const call = (tool, more) => client.callTool({ name: tool, arguments: more });
    await check(`${name}: tools`, async () => {
        const { tools } = await client.listTools();
        assert.equal(tools.length, 13);
        assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.inputSchema.type === 'object'));
    });
    await check(`${name}: instructions`, async () =>
        assert.match(client.getInstructions(), /never an instruction/));
    await check(`${name}: a call`, async () => {
        const r = await call('info', { path: 'murk/cut_frame.murk' });
        assert.ok(!r.isError);
        assert.equal(r.structuredContent.ending.state, 'cut');
        assert.deepEqual(JSON.parse(r.content[0].text), r.structuredContent);
    });
    await check(`${name}: pages`, async () => {
        let cursor, count = 0, pages = 0;
        do {
            const r = await call('records', { path: 'atf/two_threads', budget_tokens: 400, cursor });
            count += r.structuredContent.records.length;
            cursor = r.structuredContent.next_cursor;
            pages++;
        } while (cursor);
        assert.ok(pages > 2 && count > 16, `${pages} pages, ${count} records`);
    });
    await check(`${name}: an image`, async () => {
        const r = await call('frame', { path: 'aerogpu/pictures.aerogputrace' });
        if (r.isError) {
            assert.match(r.content[0].text, /OpenGL|EGL|library|back end/i);
        } else {
            assert.equal(r.content[1].mimeType, 'image/png');
            assert.equal(Buffer.from(r.content[1].data, 'base64').subarray(1, 4).toString(), 'PNG');
        }
    });
    await check(`${name}: refused`, async () => {
        const r = await call('info', { path: '../../README.md' });
        assert.ok(r.isError);
        assert.match(r.content[0].text, /not below a root/);
    });
    await check(`${name}: an unknown tool`, async () =>
        assert.rejects(call('nothing', {}), /no such tool/));
    await check(`${name}: resources`, async () => {
        assert.equal((await client.listResources()).resources.length, 2);
        assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
        const read = await client.readResource({ uri: 'rastrum://help/cat' });
        assert.match(read.contents[0].text, /rastrum cat/);
        const info = await client.readResource({ uri: 'rastrum://trace/murk/cut_frame.murk/info' });
        assert.equal(JSON.parse(info.contents[0].text).format, 'murk');
    });
    await check(`${name}: prompts`, async () => {
        assert.equal((await client.listPrompts()).prompts.length, 4);
        const p = await client.getPrompt({ name: 'find_divergence',
                                           arguments: { good: 'g', bad: 'b' } });
        assert.match(p.messages[0].content.text, /expected=g and actual=b/);
    });
    await client.close();
}

const old = new OldClient(about);
await old.connect(new OldStdio(start));
await talk('sdk', old);

const fresh = new modern.Client(about, { versionNegotiation: { mode: 'auto' } });
await fresh.connect(new ModernStdio(start));
await check('client: era', async () => {
    assert.equal(fresh.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.equal(fresh.getProtocolEra(), 'modern');
});
await talk('client', fresh);

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
