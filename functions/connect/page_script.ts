/**
 * The script of the page. It writes text alone, never markup, and keeps nothing. While the page is hidden it asks
 * nothing; as soon as it is seen again it asks at once, so a browser that slept shows what is true.
 */
import { connectWords } from "./words.ts";

/**
 * Between two looks at the state, in milliseconds. With a new look at the code every 8.5 seconds, which also finds
 * that a phone is connected, two browsers on one link stay within its 30 a minute.
 */
const stateEveryMs = 8_000;
/** After this many QR codes that nobody scanned, the person asks for the next one (Z-API, page QR code). */
const mostUnreadCodes = 3;
/** How long a code to type is renewed by itself, in milliseconds. */
const typingTimeMs = 5 * 60_000;

/** The script, with the address of the function. */
export function writeConnectScript(apiUrl: string): string {
  return `"use strict";(() => {
const api=${toScript(apiUrl)},words=${toScript(connectWords)};
const el=(id)=>document.getElementById(id);
const fits=(tag)=>words[(tag||"").slice(0,2).toLowerCase()];
let language=[...(navigator.languages||[]),"pt"].map((tag)=>tag.slice(0,2).toLowerCase()).find(fits);
let said=()=>words[language].opening;
let token=location.hash.slice(1),page="",name="",until="",methods=[],method="";
let isOver=false,isDone=false,isBusy=false,isBlocked=false;
let stateTimer=0,codeTimer=0,unread=0,typedSince=0,typedPhone="",shownCode="";
const fill=(text,values)=>text.replace(/\\{(\\w+)\\}/g,(_,key)=>values[key]??"");
const t=(key,values={})=>fill(words[language][key],values);
function say(key,values,kind=""){
  said=()=>t(key,values);
  const node=el("status"),text=said();
  if(node.textContent!==text)node.textContent=text;
  node.className=kind;
}
function translate(){
  document.documentElement.lang=language;
  document.title=t("title");
  el("heading").textContent=name===""?t("title"):t("heading",{name});
  for(const node of document.querySelectorAll("[data-word]"))node.textContent=t(node.dataset.word);
  el("picture").alt=t("qrAlt");
  for(const list of document.querySelectorAll("[data-steps]")){
    const [kind,phone]=list.dataset.steps.split(" ");
    list.replaceChildren(...words[language][kind][phone].map((step)=>{
      const item=document.createElement("li");item.textContent=step;return item;
    }));
  }
  el("until").textContent=until===""?"":t("validUntil",{
    time:new Date(until).toLocaleTimeString(language,{hour:"2-digit",minute:"2-digit"}),
  });
  el("status").textContent=said();
}
const show=(id,isShown)=>{el(id).hidden=!isShown;};
function end(key){
  isOver=true;clearTimeout(stateTimer);clearTimeout(codeTimer);
  for(const id of["choice","scan","type","done","until"])show(id,false);
  say(key,{},"bad");
}
function formatPhone(digits){
  const brazil=/^55(\\d\\d)(\\d{4,5})(\\d{4})$/.exec(digits);
  return brazil?"+55 "+brazil[1]+" "+brazil[2]+"-"+brazil[3]:"+"+digits;
}
/** Resolves to the answer's body, or to undefined where the page has been told why there is none. */
async function ask(path,fields,onRefusal=()=>false){
  let response,body;
  try{
    response=await fetch(api+"/"+path,{method:"POST",headers:{"content-type":"application/json"},
      body:JSON.stringify({token,...fields}),cache:"no-store",credentials:"omit",referrerPolicy:"no-referrer"});
    body=await response.json();
  }catch{
    say(navigator.onLine===false?"offline":"unavailable",{},"bad");
    return undefined;
  }
  if(response.ok)return body;
  if(body.error==="connection_link_ended"){end("ended");return undefined;}
  if(body.error==="connection_link_not_found"||body.error==="invalid_request"&&path!=="code"){end("notFound");return undefined;}
  if(onRefusal(body.error,Number(response.headers.get("retry-after"))||5))return undefined;
  say("unavailable",{},"bad");
  return undefined;
}
function later(ms){clearTimeout(stateTimer);if(!isOver&&!isDone)stateTimer=setTimeout(look,ms);}
async function look(){
  clearTimeout(stateTimer);
  if(isOver||isDone||isBusy||document.hidden)return;
  isBusy=true;
  let waitMs=${stateEveryMs};
  try{
    if(page===""&&!await open())return;
    const state=await ask("state",{page},(error,seconds)=>{waitMs=seconds*1000;return error==="rate_limited";});
    if(state!==undefined)showState(state);
  }finally{isBusy=false;later(waitMs);}
}
async function open(){
  if(token===""){end("notFound");return false;}
  const opened=await ask("open",{},(error)=>error==="rate_limited");
  if(opened===undefined)return false;
  page=opened.page;name=opened.name;until=opened.expiresAt;
  if(opened.language!==null)language=opened.language;
  translate();
  return true;
}
function showState({state,phone,isExpectedPhone,methods:offered}){
  if(state==="connected"&&isExpectedPhone===false){
    clearTimeout(codeTimer);
    for(const id of["choice","scan","type"])show(id,false);
    say("wrongPhone",{phone:formatPhone(phone)},"bad");
    method="";
    return;
  }
  if(state==="connected"){finish(phone);return;}
  if(isBlocked)return;
  if(method===""){
    methods=offered;
    show("choice",methods.length>1);
    const isHeld=matchMedia("(pointer: coarse)").matches;
    choose(methods.includes("code")&&(isHeld||!methods.includes("qr"))?"code":"qr");
  }else if(state==="connecting"&&method==="code"&&shownCode!==""){say("connecting");}
  else if(state==="unknown"){say("unavailable",{},"bad");}
}
function finish(phone){
  isDone=true;clearTimeout(stateTimer);clearTimeout(codeTimer);
  for(const id of["choice","scan","type","until"])show(id,false);
  show("test",phone!==null);show("test-hint",phone!==null);
  show("done",true);
  if(phone===null)say("connectedUnknown",{},"good");
  else say("connected",{phone:formatPhone(phone)},"good");
  el("done").focus();
}
function choose(next){
  method=next;clearTimeout(codeTimer);
  for(const input of document.querySelectorAll("input[name=method]"))input.checked=input.value===next;
  show("scan",next==="qr");show("type",next==="code");
  say("waiting");
  if(next==="qr"){unread=0;void renewQr();}
  else if(typedPhone!=="")void renewCode();
}
const refuseCode=(renew)=>(error,seconds)=>{
  if(error==="already_connected"){later(0);return true;}
  if(error==="passkey_required"){isBlocked=true;show("scan",false);show("type",false);show("choice",false);say("passkey",{},"bad");return true;}
  if(error==="connection_pending"||error==="rate_limited"){
    if(error==="connection_pending")say("pending");
    codeTimer=setTimeout(renew,Math.max(2,seconds)*1000);
    return true;
  }
  codeTimer=setTimeout(renew,10000);
  return false;
};
/** A little before the time, so that nobody scans one that is over; never more often than every two seconds. */
const untilRenewal=(expiresAt)=>Math.max(2000,Date.parse(expiresAt)-Date.now()-1500);
async function renewQr(){
  clearTimeout(codeTimer);
  if(isOver||isDone||method!=="qr"||document.hidden)return;
  const code=await ask("qr",{page},refuseCode(renewQr));
  if(code===undefined||method!=="qr"||isDone)return;
  const isNew=el("picture").getAttribute("src")!==code.image;
  if(isNew&&unread>=${mostUnreadCodes}){
    el("picture").removeAttribute("src");show("picture",false);show("renew",true);say("paused");
    return;
  }
  if(isNew)unread+=1;
  el("picture").src=code.image;show("picture",true);show("renew",false);
  if(isNew)say(unread>1?"renewed":"waiting");
  codeTimer=setTimeout(renewQr,untilRenewal(code.expiresAt));
}
async function renewCode(){
  clearTimeout(codeTimer);
  if(isOver||isDone||method!=="code"||typedPhone===""||document.hidden)return;
  if(Date.now()-typedSince>${typingTimeMs}){showCode("");say("paused");return;}
  el("get-code").disabled=true;
  const code=await ask("code",{page,phone:typedPhone},(error,seconds)=>{
    if(error==="invalid_phone"||error==="invalid_request"){typedPhone="";say("phoneInvalid",{},"bad");el("phone").setAttribute("aria-invalid","true");el("phone").focus();return true;}
    return refuseCode(renewCode)(error,seconds);
  });
  el("get-code").disabled=false;
  if(code===undefined||method!=="code"||isDone)return;
  const isNew=code.code!==shownCode;
  if(isNew)say(shownCode===""?"waiting":"renewed");
  showCode(code.code);
  codeTimer=setTimeout(renewCode,untilRenewal(code.expiresAt));
}
function showCode(code){
  shownCode=code;
  const plain=code.replace(/[^A-Za-z0-9]/g,"");
  el("typed").textContent=plain.length===8?plain.slice(0,4)+"-"+plain.slice(4):code;
  show("typed-code",code!=="");
}
for(const input of document.querySelectorAll("input[name=method]"))input.addEventListener("change",()=>choose(input.value));
el("renew").addEventListener("click",()=>{unread=0;void renewQr();});
el("phone-form").addEventListener("submit",(event)=>{
  event.preventDefault();
  const digits=el("phone").value.replace(/\\D/g,"");
  const isPhone=digits.length>=8&&digits.length<=15;
  el("phone").setAttribute("aria-invalid",String(!isPhone));
  if(!isPhone){say("phoneInvalid",{},"bad");el("phone").focus();return;}
  typedPhone=digits;typedSince=Date.now();void renewCode();
});
el("test").addEventListener("click",async()=>{
  el("test").disabled=true;
  const sent=await ask("test",{page},()=>{say("testFailed",{},"bad");return true;});
  el("test").disabled=false;
  if(sent!==undefined)say("testSent",{},"good");
});
function wake(){
  if(document.hidden)return;
  void look();
  if(method==="qr"&&!isBlocked)void renewQr();
  if(method==="code"&&!isBlocked)void renewCode();
}
document.addEventListener("visibilitychange",wake);
addEventListener("online",wake);
addEventListener("pageshow",(event)=>{if(event.persisted)wake();});
addEventListener("hashchange",()=>location.reload());
translate();
void look();
})();`;
}

/** A value as a literal that is safe inside a script element. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
